/** Two services with different TARGETS over one store: neither does the other's jobs or answers with its results. */
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import { reserveFile } from '../../src/storage/results/open-store.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { askForJob, followToEnd } from './jobs.ts';
import { startReceiver } from './receiver.ts';

const publicUrl = 'https://example.com/';
const insideUrl = 'http://10.0.0.5/';

async function open(scope: Scope) {
  const fake = await startFakePsi(scope);
  const DATA_DIR = makeScratchFolder(scope);
  const start = (TARGETS: string, more: Record<string, string> = {}) =>
    startService(scope, { DATA_DIR, PSI_ENDPOINT: fake.endpoint, TARGETS, ...more }, undefined, {
      jobs: { callbackFirstMs: 1 },
    });
  return { fake, start };
}

const readJob = async (service: { url: string }, id: string) => (await ask<JobAnswer>(service, `/jobs/${id}`)).body;

test('a list is checked when it is accepted: forbidden pages fail immediately, the others are measured', async t => {
  const { fake, start } = await open(t);
  const service = await start('public');
  const urls = [publicUrl, insideUrl, 'http://intranet/', 'http://[fd00::1]/', 'http://2130706433/'];
  const { body: asked } = await askForJob(service, { urls, strategy: 'mobile' });
  assert.deepEqual([asked.progress.done, asked.progress.failed], [4, 4]);
  await followToEnd(service, asked.id);
  const { pages } = await readJob(service, asked.id);
  assert.deepEqual(
    pages.map(({ error }) => error?.code ?? null),
    [null, ...Array.from({ length: 4 }, () => 'target_forbidden')],
  );
  assert.equal(fake.calls.all.length, 1);
});

test('a schedule with forbidden targets is rejected for every backend', async t => {
  const { start } = await open(t);
  const service = await start('public');
  for (const kind of ['psi', 'lighthouse', 'compare']) {
    const body = { urls: [publicUrl, insideUrl], interval: 'PT1H', kind };
    const answer = await post<{ detail: { loc: unknown[] }[] }>(service, '/schedules', body);
    assert.equal(answer.status, 422);
    assert.deepEqual(
      answer.body.detail.map(({ loc }) => loc),
      [['body', 'urls', 1]],
    );
  }
  assert.deepEqual((await ask(service, '/schedules')).body, { schedules: [] });
});

test('an internal service skips the job of a public one, reports it, and serves its own clients', async t => {
  const { fake, start } = await open(t);
  const release = fake.hold();
  const first = await start('public');
  const { body: asked } = await askForJob(first, { urls: [publicUrl], strategy: 'mobile' });
  await fake.calls.waitFor(1);
  await first.close(0);
  const inside = await start('any');
  const { body: own } = await askForJob(inside, { urls: [insideUrl], strategy: 'mobile' });
  release();
  await followToEnd(inside, own.id);
  const left = await readJob(inside, asked.id);
  assert.equal(left.pages[0]?.state, 'waiting');
  assert.match(left.reason ?? '', /TARGETS/);
  const metrics = await (await fetch(`${inside.url}/metrics`)).text();
  assert.match(metrics, /^rangelight_jobs_stalled 1$/m);
  const second = await start('public');
  await followToEnd(second, asked.id);
  assert.deepEqual([(await readJob(second, asked.id)).state, fake.calls.all.length], ['succeeded', 3]);
});

test('a callback waits for a service with the same TARGETS, and is then sent', async t => {
  const { start } = await open(t);
  let status = 500;
  const receiver = await startReceiver(t, () => status);
  const secret = { CALLBACK_SECRET: `whsec_${Buffer.alloc(32, 'x').toString('base64')}` };
  const callbackOf = async (service: { url: string }, id: string) => (await readJob(service, id)).callback;
  const ended = async (service: { url: string }, id: string) =>
    until(async () => (await callbackOf(service, id))?.state === 'delivered');
  const order = { urls: [publicUrl], strategy: 'mobile', callback: `${receiver.url}/parked` };
  const inside = await start('any', secret);
  const { body: parked } = await askForJob(inside, order);
  await receiver.calls.waitFor(2);
  await inside.close(0);
  status = 204;
  const sent = receiver.calls.all.length;
  // It may call the receiver, and does so for its own job.
  const narrow = await start('127.0.0.0/8', secret);
  const { body: own } = await askForJob(narrow, { ...order, callback: `${receiver.url}/own` });
  await ended(narrow, own.id);
  assert.deepEqual(
    receiver.calls.all.slice(sent).map(({ path }) => path),
    ['/own'],
  );
  assert.deepEqual((await callbackOf(narrow, parked.id))?.state, 'waiting');
  const same = await start('any', secret);
  await ended(same, parked.id);
  const calls = receiver.calls.all.filter(({ path }) => path === '/parked');
  assert.equal(calls.length, sent + 1);
  assert.equal(new Set(calls.map(({ headers }) => headers['webhook-id'])).size, 1);
});

test('a public service does not serve results from the cache of an internal one', async t => {
  const { fake, start } = await open(t);
  const target = withQuery('/psi', { url: insideUrl, strategy: 'mobile' });
  const inside = await start('any');
  assert.equal((await ask(inside, target)).status, 200);
  const publicOne = await start('public');
  const { status, body } = await ask<{ code: string }>(publicOne, target);
  assert.deepEqual([status, body.code], [403, 'target_forbidden']);
  assert.equal(fake.calls.all.length, 1);
});

test('a schedule that TARGETS stopped resumes only where its pages are allowed', async t => {
  const { start } = await open(t);
  const inside = await start('any');
  const made = await post<ScheduleFacts>(inside, '/schedules', { urls: [insideUrl], cron: '0 3 * * *' });
  assert.equal(made.body.reason, null);
  await inside.close(0);
  const resume = (service: { url: string }) =>
    ask<ScheduleFacts>(service, `/schedules/${made.body.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"paused": false}',
    });
  const publicOne = await start('public');
  assert.equal((await resume(publicOne)).status, 422);
  const narrow = await start('10.0.0.0/8');
  const { body: before } = await ask<ScheduleFacts>(narrow, `/schedules/${made.body.id}`);
  assert.match(before.reason ?? '', /TARGETS/);
  assert.equal((await resume(narrow)).body.reason, null);
});

test('a URL that is too long is truncated before it is stored or returned, in a job and in a batch', async t => {
  const { fake } = await open(t);
  const lines: string[] = [];
  const log = createLog('info', [], { write: line => lines.push(line) });
  const DATA_DIR = makeScratchFolder(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, DATA_DIR }, undefined, { log });
  const urls = [publicUrl, `https://example.com/${'x'.repeat(3000)}`, `x${'y'.repeat(900_000)}`];
  const { body: asked } = await askForJob(service, { urls, strategy: 'mobile' });
  await followToEnd(service, asked.id);
  const shown = (await readJob(service, asked.id)).pages.map(({ url, error }) => [
    url.length <= 201,
    error?.code ?? null,
  ]);
  assert.deepEqual(shown, [
    [true, null],
    [true, 'invalid_url'],
    [true, 'invalid_url'],
  ]);
  const batch = await post<{ results: { url: string; error?: { code: string } }[] }>(service, '/psi', { urls });
  assert.ok(batch.text.length < 50_000, String(batch.text.length));
  // A URL of 8 MB, as a list and as a page.
  for (const body of [{ urls: [`x${'y'.repeat(8_000_000)}`] }, { url: `x${'y'.repeat(8_000_000)}` }])
    await askForJob(service, body);
  await service.close(0);
  assert.ok(lines.join('').length < 20_000, String(lines.join('').length));
  // The reserve for a full disk has its own size.
  const files = readdirSync(DATA_DIR, { recursive: true, withFileTypes: true }).filter(
    file => file.isFile() && file.name !== reserveFile,
  );
  const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
  assert.ok(Math.max(...bytes) < 4_000_000, bytes.join());
});

test('clients of a public service cannot read the results of an internal one', async t => {
  const { start } = await open(t);
  const inside = await start('any');
  const [hidden, shown] = await Promise.all(
    [insideUrl, publicUrl].map(
      async url => (await ask<{ id: string }>(inside, withQuery('/psi', { url, strategy: 'mobile', label: 'x' }))).body,
    ),
  );
  const publicOne = await start('public');
  const idsOf = async (path: string) =>
    (await ask<{ results: { id: string }[] }>(publicOne, path)).body.results.map(({ id }) => id);
  assert.deepEqual(await idsOf('/results'), [shown?.id]);
  assert.deepEqual(await idsOf('/results?label=x'), [shown?.id]);
  for (const [path, method] of [
    ['', 'GET'],
    ['/screenshot', 'GET'],
    ['/report', 'GET'],
    ['', 'DELETE'],
  ] as const)
    assert.equal((await ask(publicOne, `/results/${hidden?.id}${path}`, { method })).status, 404);
  const history = withQuery('/history', { url: insideUrl, strategy: 'mobile', source: 'psi', metric: 'performance' });
  assert.deepEqual((await ask<{ points: unknown[] }>(publicOne, history)).body.points, []);
  const removal = await ask<{ removed?: number }>(publicOne, withQuery('/results', { url: insideUrl }), {
    method: 'DELETE',
  });
  assert.deepEqual([removal.status, removal.body], [200, { removed: 0 }]);
  assert.equal((await ask(inside, `/results/${hidden?.id}`)).status, 200);
});
