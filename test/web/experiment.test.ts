/** An experiment on the page: started from predictions and from the form, followed to its end, and cancelled. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { buildExperiment, buildRunningExperiment } from '../support/builders/experiment.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { buildProblem } from './reports.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const { id } = buildExperiment();
const newAddress = `?${new URLSearchParams({ experiment: 'new', page: 'https://harbour.example/', strategy: 'desktop' })}`;

test('the form starts an experiment with its variants, and the page follows it to its verdicts', async t => {
  let reads = 0;
  const { url, calls } = await startStubService(t, call => {
    if (call.path === '/experiments') return call.json(buildRunningExperiment(), 202);
    reads += 1;
    call.json(reads === 1 ? buildRunningExperiment() : buildExperiment());
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/${newAddress}`);
  await page.getByLabel('URL or pattern').fill('tides.example/*');
  await page.getByRole('button', { name: 'Add a variant' }).click();
  await page.getByLabel('Change').nth(1).selectOption({ label: 'Preload' });
  await page.getByLabel('URL or pattern').nth(1).fill('https://harbour.example/hero.jpg');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('13 of 36 to 56 loads are measured.').waitFor();
  await page.locator('.variant').first().getByText('Better', { exact: true }).waitFor();
  const [first] = await calls.waitFor(1);
  assert.deepEqual(JSON.parse(first?.body ?? ''), {
    url: 'https://harbour.example/',
    strategy: 'desktop',
    metric: 'largest_contentful_paint',
    variants: [
      { block: ['tides.example/*'] },
      { recipes: [{ name: 'preload', url: 'https://harbour.example/hero.jpg' }] },
    ],
  });
  assert.equal(new URL(page.url()).searchParams.get('experiment'), id);
  assert.match(await page.title(), /^Experiment on harbour\.example/);
  assert.equal(await page.getByRole('link', { name: 'HTML report' }).getAttribute('href'), `experiments/${id}/report`);
  assert.deepEqual(page.faults, []);
});

test('a link to a stored result leads to an experiment too', async t => {
  const { url } = await startStubService(t, call => call.json(buildExperiment()));
  const page = await openPage(t, browser);
  await page.goto(`${url}/?result=${id}`);
  await page.locator('.variant').first().getByText('Better', { exact: true }).waitFor();
  assert.deepEqual(page.faults, []);
});

test('the buttons that started an experiment can be used again after the back button', async t => {
  const { url } = await startStubService(t, call => call.json(buildRunningExperiment(), 202));
  // An answer without content leaves the page as it was at the navigation, as the back button does.
  const startAndLeave = async (page: OpenedPage, button: string) => {
    const left = Promise.withResolvers<void>();
    await page.route(
      address => address.searchParams.get('experiment') === id,
      route => route.fulfill({ status: 204 }).then(left.resolve),
    );
    await page.getByRole('button', { name: button }).click();
    await left.promise;
    assert.ok(await page.getByRole('button', { name: button }).isEnabled(), button);
  };
  const page = await openPage(t, browser);
  await page.goto(`${url}/${newAddress}`);
  await page.getByLabel('URL or pattern').fill('tides.example/*');
  await startAndLeave(page, 'Start');
  const { page: predicted } = await openState(t, browser, 'whatIf');
  await predicted.route('**/what-if', route =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 202, json: buildRunningExperiment() })
      : route.fallback(),
  );
  await startAndLeave(predicted, 'Measure the');
});

test('errors from the service are shown above the form, and the input stays', async t => {
  const { url } = await startStubService(t, call =>
    call.json(
      {
        ...buildProblem({ code: 'invalid_request', title: 'Invalid request', status: 422, detail: 'Invalid request' }),
        errors: [
          { loc: ['body', 'variants', 0, 'block', 0], msg: 'this pattern matches every URL', type: 'value_error' },
        ],
      },
      422,
    ),
  );
  const page = await openPage(t, browser);
  await page.goto(`${url}/${newAddress}`);
  await page.getByLabel('URL or pattern').fill('*');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.experiment .failure').waitFor();
  assert.equal(await page.getByLabel('URL or pattern').inputValue(), '*');
  assert.ok(await page.getByRole('button', { name: 'Start' }).isEnabled());
});

test('the promising predictions of a result are measured on request', async t => {
  const { page } = await openState(t, browser, 'whatIf');
  const another = page.getByRole('link', { name: 'Choose a change' });
  assert.match((await another.getAttribute('href')) ?? '', /^\?experiment=new&page=https%3A%2F%2F/);
  const asked = page.waitForRequest(request => request.method() === 'POST');
  await page.getByRole('button', { name: /^Measure the .*most promising removals?$/ }).click();
  assert.match((await asked).url(), /\/results\/[\w-]+\/what-if$/);
});

test('a running experiment is cancelled, and says so', async t => {
  let isCancelled = false;
  const { url, calls } = await startStubService(t, call => {
    if (call.path === `/jobs/${id}`) {
      isCancelled = true;
      return call.json({});
    }
    call.json(isCancelled ? { ...buildRunningExperiment(), state: 'cancelled' } : buildRunningExperiment());
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/?experiment=${id}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('The experiment was cancelled after 13 loads.').waitFor();
  assert.ok((await calls.waitFor(2)).some(({ path }) => path === `/jobs/${id}`));
});
