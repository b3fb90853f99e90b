import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import * as tasks from './tasks.ts';
import { createThreads } from './threads.ts';

const facts = {
  source: 'lighthouse',
  analyser: { kind: 'local' },
  url: 'https://example.com/',
  strategy: 'mobile',
  categories: ['performance'],
  requestedAt: '2026-11-20T12:00:00.000Z',
  conditions: null,
  otherwise: 'lighthouse_unavailable',
} as const;
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a task returns the same result in a thread as without one', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  const order = { bytes: bytesOf(buildMeasuredLhr()), facts };
  const [inThread, here] = [await threads.readLhr(order), tasks.readLhr(order)];
  assert.ok(!('failure' in inThread) && !('failure' in here));
  assert.deepEqual(inThread.result, here.result);
  assert.equal(inThread.documentUrl, here.documentUrl);
});

test('bytes move to the thread and back, and small ones are copied', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  for (const padding of [0, 1_000_000]) {
    const lhr = buildMeasuredLhr({ padding: 'x'.repeat(padding) } as never);
    const bytes = Buffer.concat([bytesOf({ id: 'https://example.com/', lighthouseResult: lhr })]);
    const whole = bytes.toString();
    const [first, second] = await Promise.all([
      threads.readWireAnswer({ bytes, facts }),
      threads.readWireAnswer({ bytes: Buffer.from(whole), facts }),
    ]);
    assert.ok(!('failure' in first) && !('failure' in second));
    for (const { lighthouseResult } of [first, second])
      assert.deepEqual(JSON.parse(Buffer.from(lighthouseResult).toString()), JSON.parse(JSON.stringify(lhr)));
    assert.equal(bytes.byteLength, padding === 0 ? whole.length : 0);
  }
});

test('every task has a thread that runs it', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  const isTask = ([, value]: [string, unknown]) => typeof value === 'function';
  assert.deepEqual(
    Object.keys(threads)
      .filter(name => name !== 'close' && name !== 'status')
      .toSorted(),
    Object.entries(tasks)
      .filter(isTask)
      .map(([name]) => name)
      .toSorted(),
  );
});

test('a page failure is returned as plain data, with its code', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  const lhr = buildMeasuredLhr({ runtimeError: { code: 'NO_FCP', message: 'Nothing was painted.' } });
  const read = await threads.readLhr({ bytes: bytesOf(lhr), facts });
  assert.ok('failure' in read);
  assert.deepEqual([read.failure.code, read.failure.facts.lighthouseCode], ['page_blank', 'NO_FCP']);
});

test('a task that throws affects no other task', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  await assert.rejects(threads.drawReport({ bytes: bytesOf({}) }));
  const read = await threads.readLhr({ bytes: bytesOf('no result'), facts });
  assert.deepEqual('failure' in read && [read.isNonsense, read.failure.code], [true, 'lighthouse_unavailable']);
});

const toTaskFile = () => new URL('../../../test/support/endless-tasks.ts', import.meta.url).href;
const full = { bytes: new Uint8Array(), coding: 'zstd' };

test('a task that never ends fails with its thread, and the next one gets a new thread', async t => {
  const threads = createThreads({ deadlineMs: 8_000, toTaskFile });
  t.after(() => threads.close());
  const endless = threads.readLhr({ bytes: bytesOf({}), facts }, { client: 'one' });
  const waiting = threads.readRequests({ full }, { client: 'two' });
  assert.equal(threads.status().queued, 1);
  await assert.rejects(endless, { code: 'lighthouse_unavailable' });
  assert.deepEqual(await waiting, ['read']);
  assert.deepEqual(threads.status(), { state: 'ok', queued: 0, replaced: 1 });
});

test('a task that exhausts the memory of its thread fails alone', async t => {
  const threads = createThreads({ toTaskFile });
  t.after(() => threads.close());
  await assert.rejects(threads.readUpload({ bytes: bytesOf({}) }), { code: 'payload_too_large' });
  assert.deepEqual(await threads.readRequests({ full }), ['read']);
  assert.equal(threads.status().replaced, 1);
});

test('a caller that leaves waits no longer, and its endless task is ended', async t => {
  const threads = createThreads({ toTaskFile });
  t.after(() => threads.close());
  const leaving = new AbortController();
  const endless = threads.readLhr({ bytes: bytesOf({}), facts }, { client: 'one', signal: leaving.signal });
  const waiting = threads.readRequests({ full });
  leaving.abort();
  await assert.rejects(endless, { name: 'AbortError' });
  assert.deepEqual(await waiting, ['read']);
});

test('closing does not wait for an endless task', async () => {
  const threads = createThreads({ toTaskFile });
  const endless = assert.rejects(threads.readLhr({ bytes: bytesOf({}), facts }), { code: 'shutting_down' });
  await threads.close();
  await endless;
});

const uploadOf = (lhr: string) => Buffer.from(JSON.stringify({ url: 'https://example.com/', lhr }));

test('an upload is refused by its number of values, its depth and its audits, before it is read', async t => {
  const threads = createThreads();
  t.after(() => threads.close());
  const withDetails = (details: string) => {
    const whole = JSON.stringify(buildMeasuredLhr({ details: 'here' } as never));
    return uploadOf(whole.replace('"here"', details));
  };
  const refusalOf = async (bytes: Buffer) => {
    const read = await threads.readUpload({ bytes });
    return 'refused' in read ? read.refused : 'accepted';
  };
  assert.match(await refusalOf(withDetails(`[${'{},'.repeat(9_000_000)}{}]`)), /more than 500,000 values/);
  assert.match(await refusalOf(withDetails(`[${'0,'.repeat(9_000_000)}0]`)), /more than 500,000 values/);
  assert.match(await refusalOf(withDetails(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)), /nested more than 64/);
  const audits = Array.from({ length: 2000 }, (_, at) => buildAudit(`audit-${at}`, { score: 0 }));
  assert.match(await refusalOf(uploadOf(JSON.stringify(buildMeasuredLhr({ audits })))), /^lhr is not a readable/);
  assert.equal(await refusalOf(withDetails(`[${'{},'.repeat(200_000)}{}]`)), 'accepted');
  assert.equal(threads.status().replaced, 0);
});

test('closing ends running tasks and requires no prior start', async () => {
  await createThreads().close();
  const threads = createThreads();
  const ended = assert.rejects(threads.readLhr({ bytes: bytesOf(buildMeasuredLhr()), facts }));
  await threads.close();
  await ended;
});
