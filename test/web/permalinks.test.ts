/** After a run, the URL of the page leads to its result, in any browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { buildCategory, metricRefs } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { buildComparison, buildLocalResult, buildProblem, buildResult } from './reports.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });
const service = await startService({ after }, { DATA_DIR: makeScratchFolder({ after }), PSI_ENDPOINT: fake.endpoint });

const addressOf = (url: string, strategy: string) =>
  `${service.url}/?${new URLSearchParams({ url, backend: 'remote', strategy })}`;
/** The text of a result, including details that load later. */
async function readOutcome(page: OpenedPage, part = '#outcome'): Promise<string> {
  const outcome = page.locator(part);
  await outcome.locator('.frames .blank').first().waitFor({ state: 'detached' });
  await outcome.getByText('Loading the details of this result').first().waitFor({ state: 'detached' });
  return outcome.innerText();
}
const idsIn = (address: string) => new URL(address).searchParams.get('result')?.split(',') ?? [];

for (const [strategy, count] of [
  ['mobile', 1],
  ['both', 2],
] as const)
  test(`${strategy}: the URL after a run shows the same to a colleague, and its report, without a measurement`, async t => {
    const url = `https://harbour.example/${strategy}`;
    const page = await openPage(t, browser);
    await page.goto(addressOf(url, strategy));
    await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
    await page.waitForURL(/result=/);
    const permalink = page.url();
    assert.equal(idsIn(permalink).length, count);
    const shown = await readOutcome(page);
    const calls = fake.calls.all.length;
    await fetch(`${service.url}/cache/clear`, { method: 'POST' });

    const colleague = await openPage(t, browser);
    await colleague.goto(permalink);
    await colleague.getByRole('heading', { name: `Result for ${url}` }).waitFor();
    const withoutCache = (text: string) => text.replaceAll(/from the cache.*|just now/gi, '');
    assert.equal(withoutCache(await readOutcome(colleague)), withoutCache(shown));
    const links = colleague.locator('.menu-body a', { hasText: 'HTML report' });
    assert.equal(await links.count(), count);
    for (const link of await links.all()) {
      const report = await fetch(new URL((await link.getAttribute('href')) ?? '', service.url));
      assert.deepEqual([report.status, report.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    }
    assert.equal(fake.calls.all.length, calls, 'nothing was measured');
    assert.deepEqual([...page.faults, ...colleague.faults], []);
  });

test('one of two strategies fails: the URL leads to the other one and to the failure, without a measurement', async t => {
  fake.answerWith(call =>
    call.params.get('strategy') === 'DESKTOP'
      ? toLighthouseError('Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. (Status code: 404)')
      : { body: toPsiBody(call) },
  );
  t.after(() => fake.answerWith(call => ({ body: toPsiBody(call) })));
  const url = 'https://harbour.example/half';
  const page = await openPage(t, browser);
  await page.goto(addressOf(url, 'both'));
  await page.waitForURL(/result=/);
  assert.equal(idsIn(page.url()).length, 2);
  const shown = await readOutcome(page, '.columns');
  const calls = fake.calls.all.length;

  const colleague = await openPage(t, browser);
  await colleague.goto(page.url());
  await colleague.getByText('Page returned an error').waitFor();
  assert.equal(await readOutcome(colleague, '.columns'), shown);
  assert.deepEqual(await colleague.locator('.menu-body a', { hasText: 'HTML report' }).allTextContents(), [
    'HTML report',
  ]);
  await colleague.reload();
  await colleague.getByText('Page returned an error').waitFor();
  assert.equal(fake.calls.all.length, calls, 'nothing was measured');
  await colleague.getByRole('button', { name: 'Measure again' }).first().click();
  await colleague.waitForURL(address => idsIn(`${address}`).length === 2 && `${address}` !== page.url());
  assert.deepEqual([...page.faults, ...colleague.faults], []);
});

for (const backend of ['local', 'compare'] as const)
  test(`${backend}: a strategy that failed for a reason other than the page is shown, and the other one has its URL`, async t => {
    const [url, id] = ['https://harbour.example/', '01a201e3-ac0c-7234-9a1b-bd2e414329fe'];
    const problem = buildProblem({ code: 'queue_full', title: 'Queue full', status: 503 });
    const [remote, local] = [buildResult({ url, id }), buildLocalResult({ url, id })];
    const measured = backend === 'local' ? local : { ...buildComparison(remote, local), id };
    const { url: base, calls } = await startStubService(t, call =>
      call.params.get('strategy') === 'desktop' ? call.json(problem, 503) : call.json(measured),
    );
    const page = await openPage(t, browser);
    await page.goto(`${base}/?${new URLSearchParams({ url, backend, strategy: 'both' })}`);
    await page.getByText('Queue full').first().waitFor();
    await page.waitForURL(address => address.searchParams.get('result') === id);
    const asked = calls.all.length;
    await page.reload();
    await page.getByRole('heading', { name: 'No stored result' }).first().waitFor();
    await page
      .getByRole('img', { name: /100 of 100/ })
      .first()
      .waitFor();
    const measuredAgain = calls.all.slice(asked).filter(({ path }) => !/^\/(?:results|history)/.test(path));
    assert.deepEqual(measuredAgain, []);
    assert.deepEqual(page.faults, []);
  });

test('a page measured twice: going back leads to the first result, going forward to the second', async t => {
  const url = 'https://harbour.example/twice';
  let score = 0.3;
  const lighthouse = () => ({ categories: { performance: buildCategory('performance', metricRefs, score) } });
  fake.answerWith(call => ({ body: toPsiBody(call, lighthouse()) }));
  t.after(() => fake.answerWith(call => ({ body: toPsiBody(call) })));
  const page = await openPage(t, browser);
  await page.goto(`${addressOf(url, 'mobile')}&categories=performance`);
  const shows = (value: number) => page.getByRole('img', { name: `Performance: ${value} of 100` }).waitFor();
  await shows(30);
  const first = page.url();
  await fetch(`${service.url}/cache/clear`, { method: 'POST' });
  score = 0.9;
  await page.locator('.unfold').click();
  await page.getByRole('button', { name: 'Measure', exact: true }).click();
  await shows(90);
  await page.waitForURL(address => idsIn(`${address}`).length === 1 && `${address}` !== first);
  const second = page.url();
  await page.goBack();
  await shows(30);
  assert.equal(page.url(), first);
  await page.goForward();
  await shows(90);
  assert.equal(page.url(), second);
  assert.deepEqual(page.faults, []);
});

test('a removed result is reported, and is measured again with a click', async t => {
  const url = 'https://harbour.example/gone';
  const page = await openPage(t, browser);
  await page.goto(`${addressOf(url, 'mobile')}&result=01a201e3-ac0c-7234-9a1b-bd2e414329fe`);
  await page.getByText('Result not found').waitFor();
  const calls = fake.calls.all.length;
  await page.getByRole('button', { name: 'Measure again' }).click();
  await page.getByRole('heading', { name: `Result for ${url}` }).waitFor();
  assert.equal(fake.calls.all.length, calls + 1);
  await page.waitForURL(address => idsIn(`${address}`).length === 1 && !`${address}`.includes('01a201e3-ac0c'));
});

test('going back leads to the previous result, also after a reload', async t => {
  const [first, second] = ['https://harbour.example/first', 'https://harbour.example/second'];
  const page = await openPage(t, browser);
  await page.goto(addressOf(first, 'mobile'));
  await page.waitForURL(/result=/);
  const permalink = page.url();
  await page.locator('.unfold').click();
  await page.getByLabel('Page URL').fill(second);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Result for ${second}` }).waitFor();
  await page.waitForURL(address => address.searchParams.get('url') === second && address.searchParams.has('result'));
  const calls = fake.calls.all.length;
  await page.reload();
  await page.getByRole('heading', { name: `Result for ${second}` }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: `Result for ${first}` }).waitFor();
  assert.equal(page.url(), permalink);
  assert.equal(fake.calls.all.length, calls, 'nothing was measured');
});
