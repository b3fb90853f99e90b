/** A reload during a measurement: the page follows the running job and starts nothing again. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { createArrivals } from '../support/arrivals.ts';
import { ask } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';
import { openPage, startBrowser } from './browser.ts';

const browser = await startBrowser({ after });
const fake = await startFakePsi({ after });
fake.answerWith(call => ({ body: toPsiBody(call) }));

/** A site that answers each page when the test calls `answer`. */
const loads = createArrivals<{ path: string; answer: () => void }>();
const answer = (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(
      '<!doctype html><html lang="en"><title>Harbour</title><link rel="icon" href="data:,"><p>The harbour</p></html>',
    );
const site = await startLocalServer({ after }, (request, response) =>
  loads.add({ path: request.url ?? '', answer: () => void answer(response) }),
);
const loadsOf = (path: string) => loads.all.filter(load => load.path.startsWith(path));
const untilLoaded = async (path: string, count = 1) =>
  (await loads.waitFor(count, load => load.path.startsWith(path))).at(-1);

const service = await startService(
  { after },
  { DATA_DIR: makeScratchFolder({ after }), PSI_ENDPOINT: fake.endpoint },
  undefined,
  { pool: sharedPool() },
);
const addressOf = (backend: string, urls: readonly string[], extra: Record<string, string> = {}) => {
  const query = new URLSearchParams({ backend, strategy: 'mobile', categories: 'performance', ...extra });
  for (const url of urls) query.append('url', url);
  return `${service.url}/?${query}`;
};
const jobs = async () => (await ask<{ jobs: JobFacts[] }>(service, '/jobs')).body.jobs;

/** Audits are slow, more so when several run. */
const patience = { timeout: 100_000 };

test('after a reload during the second of three runs, the page follows it to its result: three loads, one job', async t => {
  const page = await openPage(t, browser);
  const before = (await jobs()).length;
  await page.goto(addressOf('local', [`${site.url}/runs`], { runs: '3' }));
  (await untilLoaded('/runs'))?.answer();
  const second = await untilLoaded('/runs', 2);
  await page.locator('.lane', { hasText: 'Run 2 of 3: Loading the page' }).waitFor(patience);
  await page.reload();
  await page.locator('.lane', { hasText: 'Run 2 of 3: Loading the page' }).waitFor(patience);
  second?.answer();
  const third = await untilLoaded('/runs', 3);
  await page.reload();
  await page.locator('.lane', { hasText: 'Run 3 of 3' }).waitFor(patience);
  third?.answer();
  await page.getByText(`Result for ${site.url}/runs`).waitFor(patience);
  // A busy machine can disturb one or two of the runs: "median run of 2 undisturbed of 3".
  await page
    .getByText(/run of (\d undisturbed of )?3|run \d of 3/)
    .first()
    .waitFor();
  assert.deepEqual([loadsOf('/runs').length, (await jobs()).length - before], [3, 1]);
  await page.reload();
  await page.getByText(`Result for ${site.url}/runs`).waitFor();
  assert.equal(loadsOf('/runs').length, 3);
  assert.deepEqual(page.faults, []);
});

test('a comparison continues after a reload, and each side measures once', async t => {
  const release = fake.hold();
  const page = await openPage(t, browser);
  const calls = fake.calls.all.length;
  await page.goto(addressOf('compare', [`${site.url}/both`]));
  const load = await untilLoaded('/both');
  await fake.calls.waitFor(calls + 1);
  await page.reload();
  await page.getByRole('heading', { name: 'Measuring' }).waitFor();
  await page.locator('.lane.local', { hasText: 'Loading the page' }).waitFor(patience);
  release();
  load?.answer();
  await page.getByRole('heading', { name: 'Result for' }).waitFor(patience);
  assert.deepEqual([loadsOf('/both').length, fake.calls.all.length - calls], [1, 1]);
  assert.deepEqual(page.faults, []);
});

test('a list of local audits continues after a reload, and measures each page once', async t => {
  const page = await openPage(t, browser);
  const before = (await jobs()).length;
  const urls = ['one', 'two', 'three'].map(name => `${site.url}/list/${name}`);
  await page.goto(addressOf('local', urls));
  (await untilLoaded('/list'))?.answer();
  await page.getByText('1 of 3 pages').first().waitFor(patience);
  const second = await untilLoaded('/list', 2);
  await page.reload();
  await page.getByText('1 of 3 pages').first().waitFor(patience);
  assert.equal(loadsOf('/list').length, 2);
  second?.answer();
  (await untilLoaded('/list', 3))?.answer();
  await page.getByText('Measured 3 of 3 pages').waitFor(patience);
  assert.deepEqual([loadsOf('/list').length, (await jobs()).length - before], [3, 3]);
  await page.reload();
  await page.getByText('Measured before: 3 of 3 pages').waitFor();
  assert.equal(loadsOf('/list').length, 3);
  assert.deepEqual(page.faults, []);
});

test('a list of PSI measurements continues after a reload', async t => {
  const urls = ['a', 'b', 'c', 'd'].map(name => `https://harbour.example/${name}`);
  const release = fake.hold();
  const page = await openPage(t, browser);
  const calls = fake.calls.all.length;
  await page.goto(addressOf('remote', urls));
  await fake.calls.waitFor(calls + 1);
  await page.reload();
  await page.getByText('0 of 4 pages').first().waitFor();
  release();
  await page.getByText('Measured 4 of 4 pages').waitFor(patience);
  assert.equal(fake.calls.all.length - calls, 4);
  assert.deepEqual(page.faults, []);
});

test('the rest of a list continues after a reload, next to earlier results', async t => {
  const urls = ['a', 'b', 'c', 'd'].map(name => `https://lights.example/${name}`);
  for (const url of urls.slice(2)) {
    const query = new URLSearchParams({ url, strategy: 'mobile', categories: 'performance' });
    await ask(service, `/psi?${query}`);
  }
  const calls = fake.calls.all.length;
  const page = await openPage(t, browser);
  await page.goto(addressOf('remote', urls));
  await page.getByText('Measured before: 2 of 4 pages').waitFor();
  const release = fake.hold();
  await page.getByRole('button', { name: 'Measure the other 2 pages' }).click();
  await fake.calls.waitFor(calls + 1);
  await page.reload();
  await page.getByText('2 of 4 pages').first().waitFor();
  release();
  await page.getByText('Measured 4 of 4 pages').waitFor(patience);
  assert.equal(fake.calls.all.length - calls, 2);
  assert.deepEqual(page.faults, []);
});

test('a reload after a cancel measures nothing', async t => {
  const page = await openPage(t, browser);
  await page.goto(addressOf('local', [`${site.url}/cancelled`]));
  await untilLoaded('/cancelled');
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('heading', { name: 'Cancelled:' }).waitFor();
  await readUntil(jobs, ([newest]) => newest?.state === 'cancelled');
  const before = (await jobs()).length;
  await page.reload();
  await page.getByRole('heading', { name: 'Cancelled:' }).waitFor();
  assert.deepEqual([loadsOf('/cancelled').length, (await jobs()).length], [1, before]);
  assert.deepEqual(page.faults, []);
});
