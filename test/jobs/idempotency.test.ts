/** The header Idempotency-Key: a client that does not know whether its request arrived sends it again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { asyncHeaders } from './jobs.ts';

const urls = ['https://example.com/a', 'https://example.com/b'];

async function start(scope: Scope, environment: Record<string, string> = {}) {
  const fake = await startFakePsi(scope);
  return startService(scope, { PSI_ENDPOINT: fake.endpoint, ...environment });
}

const send = <Body>(service: { url: string }, path: string, key: string, body: unknown, more = {}) =>
  ask<Body>(service, path, {
    method: 'POST',
    headers: { ...asyncHeaders, 'content-type': 'application/json', 'idempotency-key': key, ...more },
    body: JSON.stringify(body),
  });

test('the same request with the same key is the same job, costs no pages, and survives a restart', async t => {
  const DATA_DIR = makeScratchFolder(t);
  const service = await start(t, { RATE_LIMIT: '2', DATA_DIR });
  const first = await send<JobFacts>(service, '/psi', '"one"', { urls });
  assert.equal(first.status, 202);
  const again = await send<JobFacts>(service, '/psi', 'one', { urls });
  assert.deepEqual(
    [again.status, again.body.id, again.headers.get('location')],
    [202, first.body.id, `/jobs/${first.body.id}`],
  );
  assert.equal((await send(service, '/psi', '"two"', { urls })).status, 429);
  await service.close(0);
  const next = await start(t, { DATA_DIR });
  assert.equal((await send<JobFacts>(next, '/psi', '"one"', { urls })).body.id, first.body.id);
});

test('simultaneous requests with one key create one job', async t => {
  const service = await start(t);
  const answers = await Promise.all(Array.from({ length: 8 }, () => send<JobFacts>(service, '/psi', '"k"', { urls })));
  const { id } = answers[0]?.body ?? assert.fail();
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.id]),
    answers.map(() => [202, id]),
  );
});

test('a key that was sent with another request is rejected', async t => {
  const service = await start(t);
  assert.equal((await send(service, '/psi', '"k"', { urls })).status, 202);
  for (const [body, more] of [
    [{ urls: urls.slice(1) }, {}],
    [{ urls, strategy: 'desktop' }, {}],
    [{ urls, label: 'other' }, {}],
    [{ urls }, { 'cache-control': 'no-cache' }],
  ] as const) {
    const { status, body: refused } = await send<{ detail: { loc: string[] }[] }>(service, '/psi', '"k"', body, more);
    assert.equal(status, 422);
    assert.deepEqual(refused.detail[0]?.loc, ['header', 'idempotency-key']);
  }
});

test('a key belongs to its client', async t => {
  const keys = ['key-of-the-first-one', 'key-of-the-second-'];
  const service = await start(t, { API_KEYS: keys.join() });
  const ids = [];
  for (const key of keys)
    ids.push((await send<JobFacts>(service, '/psi', '"k"', { urls }, { 'x-api-key': key })).body.id);
  assert.equal(new Set(ids).size, 2);
});

test('a schedule is created once for a key', async t => {
  const service = await start(t);
  const body = { urls, cron: '0 3 * * *' };
  const first = await send<ScheduleFacts>(service, '/schedules', '"k"', body);
  const again = await send<ScheduleFacts>(service, '/schedules', '"k"', body);
  assert.deepEqual([again.status, again.body.id], [201, first.body.id]);
  assert.equal((await send(service, '/schedules', '"k"', { ...body, cron: '0 4 * * *' })).status, 422);
  const { body: listed } = await ask<{ schedules: unknown[] }>(service, '/schedules');
  assert.equal(listed.schedules.length, 1);
});

for (const key of ['', '""', 'x'.repeat(300), '"unfinished', 'two words', '"a"b'])
  test(`'${key.slice(0, 20)}' is an invalid key`, async t => {
    const service = await start(t);
    const { status } = await send(service, '/psi', key, { urls });
    assert.equal(status, 422);
  });
