import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
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
      .filter(name => name !== 'close')
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

test('closing ends running tasks and requires no prior start', async () => {
  await createThreads().close();
  const threads = createThreads();
  const ended = assert.rejects(threads.readLhr({ bytes: bytesOf(buildMeasuredLhr()), facts }));
  await threads.close();
  await ended;
});
