import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AuditSlot, createAuditQueue } from './audit-queue.ts';

const connected = () => new AbortController().signal;
const refusedWith = (code: string) => ({ name: 'AnalysisError', code });

test('an audit with enterFirst gets the next slot before all queued audits', async () => {
  const queue = createAuditQueue(1, 1);
  const slot = await queue.enter(connected());
  const order: string[] = [];
  const note = (name: string) => (entered: AuditSlot) => {
    order.push(name);
    return entered;
  };
  const usual = queue.enter(connected()).then(note('usual'));
  await assert.rejects(queue.enter(connected()), refusedWith('queue_full'));
  const [first, second] = [1, 2].map(at => queue.enterFirst(connected()).then(note(`first ${at}`)));
  assert.deepEqual([queue.running, queue.queued], [1, 1]);
  slot.release();
  (await first)?.release();
  (await second)?.release();
  await usual;
  assert.deepEqual(order, ['first 1', 'first 2', 'usual']);
});

test('an audit with enterFirst only takes a slot that is free', async () => {
  const queue = createAuditQueue(1, 1);
  await queue.enterFirst(connected());
  let entered = false;
  void queue.enterFirst(connected()).then(() => {
    entered = true;
  });
  await new Promise(setImmediate);
  assert.deepEqual([queue.running, entered], [1, false]);
});

test('an audit with enterFirst can be cancelled, and is rejected when the queue closes', async () => {
  const queue = createAuditQueue(1, 1);
  const slot = await queue.enter(connected());
  const disconnect = new AbortController();
  const left = queue.enterFirst(disconnect.signal);
  disconnect.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  await assert.rejects(queue.enterFirst(AbortSignal.abort(new Error('gone before'))), /gone before/);
  const refused = queue.enterFirst(connected());
  const closing = queue.close(0);
  await assert.rejects(refused, refusedWith('shutting_down'));
  await assert.rejects(queue.enterFirst(connected()), refusedWith('shutting_down'));
  slot.release();
  await closing;
});

test('the short slot time of an audit that went first does not shorten Retry-After', async t => {
  // The queue measures stays with `performance.now()`, which this clock replaces. It stands still until it is advanced.
  let nowMs = 5000;
  t.mock.method(performance, 'now', () => nowMs);
  const queue = createAuditQueue(1, 0);
  const long = await queue.enter(connected());
  nowMs += 30_000;
  long.release();
  for (let times = 0; times < 20; times += 1) (await queue.enterFirst(connected())).release();
  await queue.enter(connected());
  await assert.rejects(queue.enter(connected()), { ...refusedWith('queue_full'), retryAfterSeconds: 30 });
});
