import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { type TestContext, test } from 'node:test';
import { AnalysisError, type ErrorCode } from '../errors.ts';
import { createWaitingLine, type WaitingLine } from './waiting-line.ts';

const staying = () => new AbortController().signal;
const countsOf = ({ running, waiting }: WaitingLine) => ({ running, waiting });

const failureOf = async (entry: Promise<unknown>, code: ErrorCode): Promise<AnalysisError> => {
  const error = await entry.then(
    () => assert.fail('it was let in'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AnalysisError, String(error));
  assert.equal(error.code, code);
  return error;
};

/** Whether a promise has settled once everything that is due has happened. */
const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false;
  const note = () => {
    settled = true;
  };
  promise.then(note, note);
  await new Promise(setImmediate);
  return settled;
};

/** Stays are measured with `performance.now()`: a clock that stands until it is moved. */
const stopClock = (t: TestContext) => {
  let nowMs = 5000;
  t.mock.method(performance, 'now', () => nowMs);
  return (ms: number) => {
    nowMs += ms;
  };
};

const stayFor = async (line: WaitingLine, pass: () => void) => {
  const place = await line.enter(staying());
  pass();
  place.leave();
};

test('as many run at once as there are places', async () => {
  for (const places of [1, 2, 5]) {
    const line = createWaitingLine(places, 10);
    assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
    for (let entered = 1; entered <= places; entered += 1) {
      await line.enter(staying());
      assert.deepEqual(countsOf(line), { running: entered, waiting: 0 });
    }
    const next = line.enter(staying());
    assert.deepEqual(countsOf(line), { running: places, waiting: 1 });
    assert.equal(await isSettled(next), false);
  }
});

test('a place that is left goes to whoever came first', async () => {
  const line = createWaitingLine(2, 10);
  const first = await line.enter(staying());
  await line.enter(staying());
  const order: string[] = [];
  const queue = (name: string) =>
    line.enter(staying()).then(place => {
      order.push(name);
      return place;
    });
  const [a, b, c] = [queue('a'), queue('b'), queue('c')];
  assert.deepEqual(countsOf(line), { running: 2, waiting: 3 });
  first.leave();
  assert.deepEqual(countsOf(line), { running: 2, waiting: 2 });
  (await a).leave();
  (await b).leave();
  await c;
  assert.deepEqual(order, ['a', 'b', 'c']);
  assert.deepEqual(countsOf(line), { running: 2, waiting: 0 });
});

test('a newcomer does not overtake those who wait', async () => {
  const line = createWaitingLine(1, 10);
  const place = await line.enter(staying());
  const waiting = line.enter(staying());
  place.leave();
  const newcomer = line.enter(staying());
  await waiting;
  assert.equal(await isSettled(newcomer), false);
});

test('a place that was left and not taken is there for the next', async () => {
  const line = createWaitingLine(1, 0);
  for (let round = 0; round < 3; round += 1) {
    const place = await line.enter(staying());
    place.leave();
    assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
  }
});

test('a place is left once, however often it is said', async () => {
  const line = createWaitingLine(1, 10);
  const place = await line.enter(staying());
  const [second, third] = [line.enter(staying()), line.enter(staying())];
  place.leave();
  place.leave();
  place.leave();
  assert.deepEqual(countsOf(line), { running: 1, waiting: 1 });
  assert.equal(await isSettled(third), false);
  (await second).leave();
  (await third).leave();
  place.leave();
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
});

test('the line is bounded, and has room again when it moves', async () => {
  const line = createWaitingLine(1, 2);
  const place = await line.enter(staying());
  const [next] = [line.enter(staying()), line.enter(staying())];
  const error = await failureOf(line.enter(staying()), 'queue_full');
  assert.equal(error.message, '2 audits are waiting already: try again a little later.');
  assert.deepEqual(countsOf(line), { running: 1, waiting: 2 });
  place.leave();
  await next;
  assert.equal(await isSettled(line.enter(staying())), false);
  await failureOf(line.enter(staying()), 'queue_full');
});

test('a line without room for anybody refuses as soon as the places are taken', async () => {
  const line = createWaitingLine(1, 0);
  await line.enter(staying());
  const { message } = await failureOf(line.enter(staying()), 'queue_full');
  assert.equal(message, 'Every place is taken, and none may wait: try again a little later.');
});

test('one that waits is counted as one', async () => {
  const line = createWaitingLine(1, 1);
  await line.enter(staying());
  void line.enter(staying());
  const { message } = await failureOf(line.enter(staying()), 'queue_full');
  assert.equal(message, '1 audit is waiting already: try again a little later.');
});

test('before anything has ended the wait is a guess of ten seconds, shared by the places', async () => {
  for (const [places, seconds] of [
    [1, 10],
    [2, 5],
    [3, 4],
  ] as const) {
    const line = createWaitingLine(places, 0);
    for (let entered = 0; entered < places; entered += 1) await line.enter(staying());
    assert.equal((await failureOf(line.enter(staying()), 'queue_full')).retryAfterSeconds, seconds);
  }
});

test('afterwards the wait is the usual stay, shared by the places', async t => {
  const pass = stopClock(t);
  const line = createWaitingLine(2, 0);
  for (const stayMs of [30_000, 31_000, 500_000, 29_000, 1000]) await stayFor(line, () => pass(stayMs));
  await line.enter(staying());
  await line.enter(staying());
  const { retryAfterSeconds } = await failureOf(line.enter(staying()), 'queue_full');
  assert.equal(retryAfterSeconds, 15, 'half of the median of 30 s: one stay of 500 s is not usual');
});

test('the wait is never less than a second, and a part of one counts whole', async t => {
  const pass = stopClock(t);
  const line = createWaitingLine(1, 0);
  await stayFor(line, () => pass(0));
  const place = await line.enter(staying());
  assert.equal((await failureOf(line.enter(staying()), 'queue_full')).retryAfterSeconds, 1);
  pass(2001);
  place.leave();
  await line.enter(staying());
  assert.equal((await failureOf(line.enter(staying()), 'queue_full')).retryAfterSeconds, 3);
});

test('old stays are forgotten', async t => {
  const pass = stopClock(t);
  const line = createWaitingLine(1, 0);
  for (let count = 0; count < 20; count += 1) await stayFor(line, () => pass(100_000));
  for (let count = 0; count < 20; count += 1) await stayFor(line, () => pass(7000));
  await line.enter(staying());
  assert.equal((await failureOf(line.enter(staying()), 'queue_full')).retryAfterSeconds, 7);
});

test('time in the line is no part of a stay', async t => {
  const pass = stopClock(t);
  const line = createWaitingLine(1, 1);
  const place = await line.enter(staying());
  const waiting = line.enter(staying());
  pass(60_000);
  place.leave();
  const second = await waiting;
  pass(4000);
  second.leave();
  await stayFor(line, () => pass(4000));
  await line.enter(staying());
  void line.enter(staying());
  assert.equal((await failureOf(line.enter(staying()), 'queue_full')).retryAfterSeconds, 4);
});

test('who has left already does not come in, free place or not', async () => {
  const line = createWaitingLine(1, 10);
  const reason = new Error('gone');
  await assert.rejects(line.enter(AbortSignal.abort(reason)), reason);
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
  await line.enter(staying());
  await assert.rejects(line.enter(AbortSignal.abort(reason)), reason);
  assert.deepEqual(countsOf(line), { running: 1, waiting: 0 });
});

test('who leaves the line gets the reason back, and the others move up', async () => {
  const line = createWaitingLine(1, 2);
  const place = await line.enter(staying());
  const leaving = new AbortController();
  const [left, next] = [line.enter(leaving.signal), line.enter(staying())];
  const reason = new Error('gone');
  leaving.abort(reason);
  assert.deepEqual(countsOf(line), { running: 1, waiting: 1 });
  await assert.rejects(left, reason);
  const last = line.enter(staying());
  place.leave();
  (await next).leave();
  await last;
  assert.deepEqual(countsOf(line), { running: 1, waiting: 0 });
});

test('leaving after having got a place changes nothing in the line', async () => {
  const line = createWaitingLine(1, 10);
  const leaving = new AbortController();
  const place = await line.enter(staying());
  const waited = line.enter(leaving.signal);
  place.leave();
  leaving.abort();
  const second = await waited;
  assert.deepEqual(countsOf(line), { running: 1, waiting: 0 });
  second.leave();
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
});

test('nobody listens for a departure longer than the wait', async () => {
  const line = createWaitingLine(1, 10);
  const { signal } = new AbortController();
  const place = await line.enter(signal);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const waited = line.enter(signal);
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  place.leave();
  await waited;
  const sentAway = line.enter(signal);
  const closed = line.close(0);
  await failureOf(sentAway, 'shutting_down');
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  (await waited).leave();
  await closed;
});

test('a line with nobody in it closes at once', async () => {
  const line = createWaitingLine(1, 10);
  await line.close(60_000);
  const place = createWaitingLine(1, 1);
  (await place.enter(staying())).leave();
  await place.close(60_000);
});

test('nobody enters after the line was closed', async () => {
  const line = createWaitingLine(1, 10);
  await line.close(0);
  const { retryAfterSeconds } = await failureOf(line.enter(staying()), 'shutting_down');
  assert.equal(retryAfterSeconds, 5);
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
});

test('closing sends away who waits and lets those inside finish', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const line = createWaitingLine(2, 10);
  const [first, second] = [await line.enter(staying()), await line.enter(staying())];
  const waiting = [line.enter(staying()), line.enter(staying())];
  const closed = line.close(25_000);
  assert.deepEqual(countsOf(line), { running: 2, waiting: 0 });
  for (const entry of waiting) await failureOf(entry, 'shutting_down');
  await failureOf(line.enter(staying()), 'shutting_down');
  first.leave();
  await failureOf(line.enter(staying()), 'shutting_down');
  assert.equal(await isSettled(closed), false);
  second.leave();
  await closed;
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
});

test('closing waits no longer than the grace', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const line = createWaitingLine(1, 10);
  const place = await line.enter(staying());
  const closed = line.close(25_000);
  t.mock.timers.tick(24_999);
  assert.equal(await isSettled(closed), false);
  t.mock.timers.tick(1);
  await closed;
  assert.deepEqual(countsOf(line), { running: 1, waiting: 0 });
  place.leave();
  assert.deepEqual(countsOf(line), { running: 0, waiting: 0 });
});

test('a line that closed in time leaves no timer behind', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  const line = createWaitingLine(1, 10);
  const place = await line.enter(staying());
  const before = countTimers();
  const closed = line.close(60_000);
  assert.equal(countTimers(), before + 1);
  place.leave();
  await closed;
  assert.equal(countTimers(), before);
});

test('who waits is told the place in the line, at first and after every move', async () => {
  const line = createWaitingLine(1, 10);
  const place = await line.enter(staying());
  const told: Record<string, number[]> = { first: [], second: [], third: [] };
  const leaving = new AbortController();
  const enter = (name: string, signal = staying()) => line.enter(signal, position => told[name]?.push(position));
  const first = enter('first');
  const second = enter('second', leaving.signal);
  const third = enter('third');
  assert.deepEqual(told, { first: [1], second: [2], third: [3] });
  leaving.abort(new Error('left'));
  await assert.rejects(second);
  assert.deepEqual(told, { first: [1], second: [2], third: [3, 2] });
  place.leave();
  (await first).leave();
  await third;
  assert.deepEqual(told, { first: [1], second: [2], third: [3, 2, 1] });
});
