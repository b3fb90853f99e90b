/** Views of all pages: search, schedules and running jobs, with a real service and with a stub. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JobFacts, JobPage } from '../../src/contract/jobs/job.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { answerHome } from './home-answers.ts';
import { openState } from './states.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });

test('stored pages are on the start page, and are not requested if nothing is stored', async t => {
  const { page } = await openState(t, browser, 'recent');
  assert.equal(await page.locator('.site-page').count(), 3);
  const [first] = await page.locator('.site').allInnerTexts();
  assert.match(first ?? '', /^harbour\.example[\s\S]*Worse since[\s\S]*92 → 73[\s\S]*next[\s\S]*72[\s\S]*History/);
  assert.equal(await page.getByRole('button', { name: 'Measure', exact: true }).isVisible(), true);
  const { url: base, calls } = await startStubService(t, () => {});
  const other = await openPage(t, browser);
  await other.goto(base);
  await other.getByLabel('Page URL').fill('https://harbour.example/');
  await other.keyboard.press('Enter');
  const [call] = await calls.waitFor(1);
  assert.equal(call?.path, '/lighthouse');
});

test('a page with only failures is listed, a disturbed score is marked, and a change leads to its comparison', async t => {
  const { page } = await openState(t, browser, 'sites');
  await page.getByText('page unreachable').waitFor();
  await page.locator('.site-page', { hasText: 'rather-long' }).getByText('disturbed').waitFor();
  const compare = page.getByRole('link', { name: /^Compare before and after/ });
  assert.match((await compare.getAttribute('href')) ?? '', /before=.{36}&after=.{36}/);
  await page.getByRole('searchbox').fill('down');
  await page.locator('.site').nth(1).waitFor({ state: 'detached' });
  assert.equal(await page.locator('.site-page').count(), 1);
  await page.reload();
  await page.locator('.site-page').waitFor();
  assert.equal(await page.getByRole('searchbox').inputValue(), 'down');
  assert.equal(await page.locator('.site-page').count(), 1);
  assert.deepEqual(page.faults, []);
});

test('the operator sees slots, queue, store and back-off', async t => {
  const { page } = await openState(t, browser, 'status');
  const text = await page.locator('.status-facts').innerText();
  for (const words of ['1 of 2 slots in use, 4 in the queue', '10,000 in sqlite', 'throttled', '13.5.0'])
    assert.ok(text.includes(words), text);
});

test('the operator of a fleet sees each instance, and the reason why there is no browser', async t => {
  const { page } = await openState(t, browser, 'statusFleet');
  const rows = await page.getByRole('group', { name: 'Instances' }).locator('tbody tr').allInnerTexts();
  assert.deepEqual(
    rows.map(row => row.replace(/\s+/g, ' ').trim()),
    [
      'front-1 api, version 2.0.0 –',
      'worker-with-a-rather-long-name-7f9c4d5b8-x2x9q worker, version 2.0.0 4 of 4',
      'unknown host worker, version 1.9.0 2 of 4',
    ],
  );
  assert.match(await page.locator('.status-facts').innerText(), /not available\. No browser was found\./);
});

test('a job with a failed callback shows it, with the reason', async t => {
  const { page } = await openState(t, browser, 'callbackFailed');
  await page.getByText('Callback failed after 12 attempts: HTTP 500').waitFor();
});

test('the pages of an opened job follow it to its end', async t => {
  const now = { page: 'running', job: 'running' };
  const { url } = await startStubService(t, call => {
    const stub: Parameters<typeof answerHome>[0] = {
      ...call,
      json: body => {
        const { jobs, pages } = body as { jobs?: JobFacts[]; pages?: JobPage[] };
        const [job] = jobs ?? [];
        if (job) call.json({ jobs: [{ ...job, state: now.job }] });
        else if (pages) call.json({ ...(body as object), state: now.page, pages: [{ ...pages[2], state: now.page }] });
        else call.json(body);
      },
    };
    answerHome(stub);
  });
  const page = await openPage(t, browser);
  await page.goto(`${url}/?view=schedules`);
  await page.locator('.job details summary').click();
  await page.locator('.job-pages').getByText('running').waitFor();
  // The list may say that the job has ended before its pages do.
  now.job = 'succeeded';
  await page.locator('.job strong', { hasText: 'succeeded' }).waitFor();
  now.page = 'succeeded';
  await page.locator('.job-pages').getByText('succeeded').waitFor();
  assert.deepEqual(page.faults, []);
});

test('with a real service: a page is scheduled with one click, run now, paused and removed, and its job is cancelled or read', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint });
  const measured = await fetch(`${service.url}/psi?url=https://harbour.example/&strategy=mobile`);
  assert.equal(measured.status, 200);
  const page = await openPage(t, browser);
  await page.goto(`${service.url}/?view=sites`);
  await page.getByRole('button', { name: /^Watch of https:\/\/harbour\.example/ }).click();
  await page
    .locator('.site-page')
    .getByText(/^next /)
    .waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('button', { name: /^Run now/ }).click();
  await page.locator('.job', { hasText: 'scheduled' }).getByText('succeeded').waitFor();
  await page.locator('.job details summary').first().click();
  await page.locator('.job-pages a').waitFor();
  await page.getByRole('button', { name: /^Pause/ }).click();
  await page.getByRole('button', { name: /^Resume/ }).waitFor();
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('No page is watched yet.').waitFor();
  await page.locator('.job-pages a').click();
  await page.locator('.verdict').waitFor();
  assert.deepEqual(page.faults, []);
});
