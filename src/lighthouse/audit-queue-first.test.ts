import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWaitingLine, type Place } from './waiting-line.ts';

const staying = () => new AbortController().signal;
const refusedWith = (code: string) => ({ name: 'AnalysisError', code });

test('who may go first gets the next place, before all who wait and however many they are', async () => {
  const line = createWaitingLine(1, 1);
  const place = await line.enter(staying());
  const order: string[] = [];
  const note = (name: string) => (entered: Place) => {
    order.push(name);
    return entered;
  };
  const usual = line.enter(staying()).then(note('usual'));
  await assert.rejects(line.enter(staying()), refusedWith('queue_full'));
  const [first, second] = [1, 2].map(at => line.enterFirst(staying()).then(note(`first ${at}`)));
  assert.deepEqual([line.running, line.waiting], [1, 1]);
  place.leave();
  (await first)?.leave();
  (await second)?.leave();
  await usual;
  assert.deepEqual(order, ['first 1', 'first 2', 'usual']);
});

test('who may go first takes no more than a free place', async () => {
  const line = createWaitingLine(1, 1);
  await line.enterFirst(staying());
  let entered = false;
  void line.enterFirst(staying()).then(() => {
    entered = true;
  });
  await new Promise(setImmediate);
  assert.deepEqual([line.running, entered], [1, false]);
});

test('who may go first can leave the line, and is sent away when it closes', async () => {
  const line = createWaitingLine(1, 1);
  const place = await line.enter(staying());
  const leaving = new AbortController();
  const left = line.enterFirst(leaving.signal);
  leaving.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  await assert.rejects(line.enterFirst(AbortSignal.abort(new Error('gone before'))), /gone before/);
  const refused = line.enterFirst(staying());
  const closing = line.close(0);
  await assert.rejects(refused, refusedWith('shutting_down'));
  await assert.rejects(line.enterFirst(staying()), refusedWith('shutting_down'));
  place.leave();
  await closing;
});

test('a short stay of who went first does not shorten the time to retry after', async t => {
  // Stays are measured with `performance.now()`: a clock that stands until it is moved.
  let nowMs = 5000;
  t.mock.method(performance, 'now', () => nowMs);
  const line = createWaitingLine(1, 0);
  const long = await line.enter(staying());
  nowMs += 30_000;
  long.leave();
  for (let times = 0; times < 20; times += 1) (await line.enterFirst(staying())).leave();
  await line.enter(staying());
  await assert.rejects(line.enter(staying()), { ...refusedWith('queue_full'), retryAfterSeconds: 30 });
});
