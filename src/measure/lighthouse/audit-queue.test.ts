import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { AnalysisError, type ErrorCode } from '../../contract/errors.ts';
import { type AuditQueue, createAuditQueue } from './audit-queue.ts';

const connected = () => new AbortController().signal;
const countsOf = ({ running, queued }: AuditQueue) => ({ running, queued });

const failureOf = async (entry: Promise<unknown>, code: ErrorCode): Promise<AnalysisError> => {
  const error = await entry.then(
    () => assert.fail('it got a slot'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AnalysisError, String(error));
  assert.equal(error.code, code);
  return error;
};

/** Returns whether a promise has settled after all pending callbacks. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await new Promise(setImmediate);
  return settled;
};

/** Stops `performance.now()`, with which the queue measures stays. @returns a function that advances it */
const stopClock = (t: TestContext) => {
  let nowMs = 5000;
  t.mock.method(performance, 'now', () => nowMs);
  return (ms: number) => {
    nowMs += ms;
  };
};

const stayFor = async (queue: AuditQueue, pass: () => void) => {
  const slot = await queue.enter(connected());
  pass();
  slot.release();
};

test('as many audits run at once as there are slots', async () => {
  for (const slots of [1, 2, 5]) {
    const queue = createAuditQueue(slots, 10);
    assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
    for (let entered = 1; entered <= slots; entered += 1) {
      await queue.enter(connected());
      assert.deepEqual(countsOf(queue), { running: entered, queued: 0 });
    }
    const next = queue.enter(connected());
    assert.deepEqual(countsOf(queue), { running: slots, queued: 1 });
    assert.equal(await isSettled(next), false);
  }
});

test('a released slot goes to the first queued audit', async () => {
  const queue = createAuditQueue(2, 10);
  const first = await queue.enter(connected());
  await queue.enter(connected());
  const order: string[] = [];
  const enter = (name: string) =>
    queue.enter(connected()).then(slot => {
      order.push(name);
      return slot;
    });
  const [a, b, c] = [enter('a'), enter('b'), enter('c')];
  assert.deepEqual(countsOf(queue), { running: 2, queued: 3 });
  first.release();
  assert.deepEqual(countsOf(queue), { running: 2, queued: 2 });
  (await a).release();
  (await b).release();
  await c;
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.deepEqual(countsOf(queue), { running: 2, queued: 0 });
});

test('a new audit does not overtake queued ones', async () => {
  const queue = createAuditQueue(1, 10);
  const slot = await queue.enter(connected());
  const waiting = queue.enter(connected());
  slot.release();
  const newcomer = queue.enter(connected());
  await waiting;
  assert.equal(await isSettled(newcomer), false);
});

test('a released slot without queued audits is free for the next audit', async () => {
  const queue = createAuditQueue(1, 0);
  for (let round = 0; round < 3; round += 1) {
    const slot = await queue.enter(connected());
    slot.release();
    assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
  }
});

test('a slot is released once, however often release is called', async () => {
  const queue = createAuditQueue(1, 10);
  const slot = await queue.enter(connected());
  const [second, third] = [queue.enter(connected()), queue.enter(connected())];
  slot.release();
  slot.release();
  slot.release();
  assert.deepEqual(countsOf(queue), { running: 1, queued: 1 });
  assert.equal(await isSettled(third), false);
  (await second).release();
  (await third).release();
  slot.release();
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('the queue is bounded, and accepts audits again when it moves', async () => {
  const queue = createAuditQueue(1, 2);
  const slot = await queue.enter(connected());
  const [next] = [queue.enter(connected()), queue.enter(connected())];
  const error = await failureOf(queue.enter(connected()), 'queue_full');
  assert.equal(error.message, 'All audit slots are busy and the queue is full. Retry in 30 s.');
  assert.deepEqual(countsOf(queue), { running: 1, queued: 2 });
  slot.release();
  await next;
  assert.equal(await isSettled(queue.enter(connected())), false);
  await failureOf(queue.enter(connected()), 'queue_full');
});

test('a queue of length 0 rejects audits as soon as the slots are busy', async () => {
  const queue = createAuditQueue(1, 0);
  await queue.enter(connected());
  const { message } = await failureOf(queue.enter(connected()), 'queue_full');
  assert.equal(message, 'All audit slots are busy and the queue is disabled. Retry in 10 s.');
});

test('a later audit of a request waits for a slot even if the queue is full or disabled', async () => {
  const queue = createAuditQueue(1, 0);
  const slot = await queue.enter(connected());
  const next = queue.enter(connected(), { isAdmitted: true });
  await failureOf(queue.enter(connected()), 'queue_full');
  slot.release();
  (await next).release();
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('before any audit has ended, Retry-After is ten seconds divided by the slots', async () => {
  for (const [slots, seconds] of [
    [1, 10],
    [2, 5],
    [3, 4],
  ] as const) {
    const queue = createAuditQueue(slots, 0);
    for (let entered = 0; entered < slots; entered += 1) await queue.enter(connected());
    assert.equal((await failureOf(queue.enter(connected()), 'queue_full')).retryAfterSeconds, seconds);
  }
});

test('later, Retry-After is the usual slot time divided by the slots', async t => {
  const pass = stopClock(t);
  const queue = createAuditQueue(2, 0);
  for (const stayMs of [30_000, 31_000, 500_000, 29_000, 1000]) await stayFor(queue, () => pass(stayMs));
  await queue.enter(connected());
  await queue.enter(connected());
  const { retryAfterSeconds } = await failureOf(queue.enter(connected()), 'queue_full');
  assert.equal(retryAfterSeconds, 15, 'half of the median of 30 s: one stay of 500 s is not usual');
});

test('Retry-After is at least one second, rounded up', async t => {
  const pass = stopClock(t);
  const queue = createAuditQueue(1, 0);
  await stayFor(queue, () => pass(0));
  const slot = await queue.enter(connected());
  assert.equal((await failureOf(queue.enter(connected()), 'queue_full')).retryAfterSeconds, 1);
  pass(2001);
  slot.release();
  await queue.enter(connected());
  assert.equal((await failureOf(queue.enter(connected()), 'queue_full')).retryAfterSeconds, 3);
});

test('old slot times are forgotten', async t => {
  const pass = stopClock(t);
  const queue = createAuditQueue(1, 0);
  for (let count = 0; count < 20; count += 1) await stayFor(queue, () => pass(100_000));
  for (let count = 0; count < 20; count += 1) await stayFor(queue, () => pass(7000));
  await queue.enter(connected());
  assert.equal((await failureOf(queue.enter(connected()), 'queue_full')).retryAfterSeconds, 7);
});

test('time in the queue is not part of the slot time', async t => {
  const pass = stopClock(t);
  const queue = createAuditQueue(1, 1);
  const slot = await queue.enter(connected());
  const waiting = queue.enter(connected());
  pass(60_000);
  slot.release();
  const second = await waiting;
  pass(4000);
  second.release();
  await stayFor(queue, () => pass(4000));
  await queue.enter(connected());
  void queue.enter(connected());
  const { retryAfterSeconds } = await failureOf(queue.enter(connected()), 'queue_full');
  assert.equal(retryAfterSeconds, 8, 'two stays of 4 s: of the audit that runs, and of the queued one');
});

test('a client that has disconnected gets no slot, free or not', async () => {
  const queue = createAuditQueue(1, 10);
  const reason = new Error('gone');
  await assert.rejects(queue.enter(AbortSignal.abort(reason)), reason);
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
  await queue.enter(connected());
  await assert.rejects(queue.enter(AbortSignal.abort(reason)), reason);
  assert.deepEqual(countsOf(queue), { running: 1, queued: 0 });
});

test('a queued audit that is cancelled throws the abort reason, and the others move up', async () => {
  const queue = createAuditQueue(1, 2);
  const slot = await queue.enter(connected());
  const disconnect = new AbortController();
  const [left, next] = [queue.enter(disconnect.signal), queue.enter(connected())];
  const reason = new Error('gone');
  disconnect.abort(reason);
  assert.deepEqual(countsOf(queue), { running: 1, queued: 1 });
  await assert.rejects(left, reason);
  const last = queue.enter(connected());
  slot.release();
  (await next).release();
  await last;
  assert.deepEqual(countsOf(queue), { running: 1, queued: 0 });
});

test('a cancel after the slot was assigned does not affect the queue', async () => {
  const queue = createAuditQueue(1, 10);
  const disconnect = new AbortController();
  const slot = await queue.enter(connected());
  const waited = queue.enter(disconnect.signal);
  slot.release();
  disconnect.abort();
  const second = await waited;
  assert.deepEqual(countsOf(queue), { running: 1, queued: 0 });
  second.release();
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('the abort listener is removed when the wait ends', async () => {
  const queue = createAuditQueue(1, 10);
  const { signal } = new AbortController();
  const slot = await queue.enter(signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const waited = queue.enter(signal);
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  slot.release();
  await waited;
  const refused = queue.enter(signal);
  const closed = queue.close(0);
  await failureOf(refused, 'shutting_down');
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  (await waited).release();
  await closed;
});

test('a queue without audits closes immediately', async () => {
  const queue = createAuditQueue(1, 10);
  await queue.close(60_000);
  const slot = createAuditQueue(1, 1);
  (await slot.enter(connected())).release();
  await slot.close(60_000);
});

test('no audit enters after the queue was closed', async () => {
  const queue = createAuditQueue(1, 10);
  await queue.close(0);
  const { retryAfterSeconds } = await failureOf(queue.enter(connected()), 'shutting_down');
  assert.equal(retryAfterSeconds, 5);
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('closing rejects queued audits and lets running ones finish', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queue = createAuditQueue(2, 10);
  const [first, second] = [await queue.enter(connected()), await queue.enter(connected())];
  const waiting = [queue.enter(connected()), queue.enter(connected())];
  const closed = queue.close(25_000);
  assert.deepEqual(countsOf(queue), { running: 2, queued: 0 });
  for (const entry of waiting) await failureOf(entry, 'shutting_down');
  await failureOf(queue.enter(connected()), 'shutting_down');
  first.release();
  await failureOf(queue.enter(connected()), 'shutting_down');
  assert.equal(await isSettled(closed), false);
  second.release();
  await closed;
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('closing waits no longer than the grace period', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queue = createAuditQueue(1, 10);
  const slot = await queue.enter(connected());
  const closed = queue.close(25_000);
  t.mock.timers.tick(24_999);
  assert.equal(await isSettled(closed), false);
  t.mock.timers.tick(1);
  await closed;
  assert.deepEqual(countsOf(queue), { running: 1, queued: 0 });
  slot.release();
  assert.deepEqual(countsOf(queue), { running: 0, queued: 0 });
});

test('a queue that closed in time leaves no timer behind', async t => {
  const started = t.mock.method(globalThis, 'setTimeout');
  const cleared = t.mock.method(globalThis, 'clearTimeout');
  const ofTheClose = () => started.mock.calls.find(({ arguments: [, ms] }) => ms === 60_000)?.result;
  const queue = createAuditQueue(1, 10);
  const slot = await queue.enter(connected());
  const closed = queue.close(60_000);
  const timer = ofTheClose();
  assert.ok(timer);
  slot.release();
  await closed;
  assert.ok(cleared.mock.calls.some(({ arguments: [ended] }) => ended === timer));
});

test('a queued audit gets its position, initially and after every change', async () => {
  const queue = createAuditQueue(1, 10);
  const slot = await queue.enter(connected());
  const told: Record<string, number[]> = { first: [], second: [], third: [] };
  const disconnect = new AbortController();
  const enter = (name: string, signal = connected()) =>
    queue.enter(signal, { onPosition: position => told[name]?.push(position) });
  const first = enter('first');
  const second = enter('second', disconnect.signal);
  const third = enter('third');
  assert.deepEqual(told, { first: [1], second: [2], third: [3] });
  disconnect.abort(new Error('left'));
  await assert.rejects(second);
  assert.deepEqual(told, { first: [1], second: [2], third: [3, 2] });
  slot.release();
  (await first).release();
  await third;
  assert.deepEqual(told, { first: [1], second: [2], third: [3, 2, 1] });
});
