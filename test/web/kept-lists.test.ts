/** A measured list is shown from stored results: after a reload, after going back, and from a bookmark. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { type OpenedPage, openPage, startBrowser } from './browser.ts';
import { buildResult } from './reports.ts';
import { startStubService } from './stub-service.ts';

const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });
const service = await startService({ after }, { DATA_DIR: makeScratchFolder({ after }), PSI_ENDPOINT: fake.endpoint });

const addressOf = (urls: readonly string[], strategy = 'mobile') =>
  `/?${new URLSearchParams([...urls.map((url): [string, string] => ['url', url]), ['backend', 'remote'], ['strategy', strategy]])}`;
const rows = (page: OpenedPage) => page.locator('table.batch tbody tr');
const shownIn = async (page: OpenedPage) =>
  (await rows(page).allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' '));

test('a reload shows the results of a list including failures, and measures nothing', async t => {
  const urls = ['one', 'two', 'gone'].map(name => `https://harbour.example/${name}`);
  fake.answerWith(call =>
    call.params.get('url')?.endsWith('gone')
      ? toLighthouseError('Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. (Status code: 404)')
      : { body: toPsiBody(call) },
  );
  const page = await openPage(t, browser);
  await page.goto(`${service.url}${addressOf(urls, 'both')}`);
  await page.getByText('Measured 3 of 3 pages, 1 failed').waitFor();
  const before = await shownIn(page);
  const calls = fake.calls.all.length;
  await page.reload();
  await page.getByText('Measured before: 3 of 3 pages, 1 failed').waitFor();
  await page.getByText(/^Measured .* ago\. No page was measured again\.$/).waitFor();
  assert.deepEqual(await shownIn(page), before);

  await page.locator('.unfold').click();
  await page.getByLabel('Page URL').fill('https://harbour.example/other');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Result for' }).waitFor();
  await page.reload();
  await page.goBack();
  await page.getByText('Measured before: 3 of 3 pages, 1 failed').waitFor();
  assert.equal(fake.calls.all.length, calls + 2, 'the other page alone was measured, for both devices');
  await page.getByRole('button', { name: 'Measure again' }).click();
  await page.getByText('Measured 3 of 3 pages').waitFor();
  assert.ok(fake.calls.all.length > calls + 2);
  assert.deepEqual(page.faults, []);
});

test('a bookmark finds the stored results of its pages, and the rest is measured with a click', async t => {
  fake.answerWith(call => ({ body: toPsiBody(call) }));
  const urls = ['red', 'green', 'white'].map(name => `https://lights.example/${name}`);
  const known = urls.slice(0, 2);
  for (const url of known) await fetch(`${service.url}/psi?${new URLSearchParams({ url, strategy: 'mobile' })}`);
  const page = await openPage(t, browser);
  const calls = fake.calls.all.length;
  await page.goto(`${service.url}${addressOf(urls)}`);
  await page.getByText('Measured before: 2 of 3 pages').waitFor();
  await page.getByText('No result is stored').waitFor();
  assert.equal(fake.calls.all.length, calls);
  await page.getByText(/^Measured .* ago\. No page was measured again\.$/).waitFor();
  const release = fake.hold();
  await page.getByRole('button', { name: 'Measure the other page' }).click();
  const older = page.getByText(/^2 of 3 pages were measured .* ago, not in this run\.$/);
  await older.waitFor();
  release();
  await page.getByText('Measured 3 of 3 pages').waitFor();
  assert.ok(await older.isVisible(), 'also when the others are measured');
  assert.equal(fake.calls.all.length, calls + 1);
  assert.deepEqual(page.faults, []);
});

test('a bookmark of a list shows the failed page, also in another tab', async t => {
  fake.answerWith(call =>
    call.params.get('url')?.endsWith('gone')
      ? toLighthouseError('Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. (Status code: 404)')
      : { body: toPsiBody(call) },
  );
  const urls = ['good', 'gone'].map(name => `https://failing.example/${name}`);
  for (const url of urls) await fetch(`${service.url}/psi?${new URLSearchParams({ url, strategy: 'mobile' })}`);
  const page = await openPage(t, browser);
  const calls = fake.calls.all.length;
  await page.goto(`${service.url}${addressOf(urls)}`);
  await page.getByText('Measured before: 2 of 2 pages, 1 failed').waitFor();
  await rows(page).filter({ hasText: '/gone' }).locator('.line-failure').waitFor();
  assert.equal(fake.calls.all.length, calls);
  assert.deepEqual(page.faults, []);
});

test('a list without stored results is measured when its URL is opened', async t => {
  fake.answerWith(call => ({ body: toPsiBody(call) }));
  const page = await openPage(t, browser);
  const calls = fake.calls.all.length;
  await page.goto(`${service.url}${addressOf(['https://new.example/a', 'https://new.example/b'])}`);
  await page.getByText('Measured 2 of 2 pages').waitFor();
  assert.equal(fake.calls.all.length, calls + 2);
});

test('if the service stores nothing, a reload measures nothing either, and says why there is no result', async t => {
  const urls = ['https://a.example/', 'https://b.example/'];
  const { url: base, calls } = await startStubService(t, call =>
    call.json({ results: urls.map(url => buildResult({ url })), total: 2, succeeded: 2, failed: 0 }),
  );
  const page = await openPage(t, browser);
  await page.goto(`${base}${addressOf(urls)}`);
  await page.getByText('Measured 2 of 2 pages').waitFor();
  await page.reload();
  await page.getByText('This service stores no results. Measure the list again to see them.').waitFor();
  assert.equal(calls.all.length, 1);
  await page.getByRole('button', { name: 'Measure again' }).click();
  await page.getByText('Measured 2 of 2 pages').waitFor();
  assert.deepEqual([calls.all.length, page.faults], [2, []]);
});
