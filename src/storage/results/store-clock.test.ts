import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { StoreEvent } from './fault.ts';
import { createSqliteDatabase } from './sqlite/database.ts';
import { createStoreClock } from './store-clock.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const noonMs = Date.parse('2026-11-20T12:00:00Z');

/** Processes on one store, each with a clock that the test sets. */
function openClocks() {
  const database = createSqliteDatabase({ path: ':memory:' });
  after(() => database.close());
  return (offsetMs: number) => {
    const time = { offsetMs, ranMs: 0 };
    const events: StoreEvent['event'][] = [];
    const clock = createStoreClock({
      database,
      now: () => noonMs + time.offsetMs + time.ranMs,
      monotonicMs: () => time.ranMs,
      onEvent: ({ event }) => events.push(event),
    });
    /** Looks every minute, as a service does. */
    const run = async (ms: number) => {
      for (const end = time.ranMs + ms; time.ranMs < end; ) {
        await clock.observe();
        time.ranMs += Math.min(60_000, end - time.ranMs);
      }
      await clock.observe();
    };
    return { clock, events, run, time };
  };
}

test('a clock near the last seen time is trusted, in either direction', async () => {
  const open = openClocks();
  for (const offsetMs of [0, 20 * hourMs, -2 * hourMs, 3 * hourMs]) {
    const { clock, events } = open(offsetMs);
    await clock.observe();
    assert.deepEqual([clock.doubt, clock.mayAct(), events], [undefined, true, []], String(offsetMs));
  }
});

test('a clock that is days off is not trusted, with a single warning', async () => {
  const open = openClocks();
  await open(0).clock.observe();
  for (const days of [-30_000, -100, -2, 2, 100, 36_500]) {
    const { clock, events, run } = open(days * dayMs);
    await run(5 * 60_000);
    assert.deepEqual([clock.doubt?.seenAtMs, events], [noonMs, ['clock_doubted']], String(days));
  }
});

test('new rows use the last seen time while the clock is not trusted', async () => {
  const open = openClocks();
  await open(0).clock.observe();
  for (const days of [-100, 100]) {
    const { clock, run } = open(days * dayMs);
    await run(10 * 60_000);
    const storedAtMs = clock.storedAtMs() ?? assert.fail();
    assert.ok(Math.abs(storedAtMs - noonMs) < hourMs, new Date(storedAtMs).toISOString());
  }
});

test('a clock set while the process runs does not affect the dates of rows, not even before the next check', async () => {
  const { clock, time } = openClocks()(0);
  await clock.observe();
  time.offsetMs = 100 * dayMs;
  assert.equal(clock.storedAtMs(), noonMs);
  assert.equal(clock.mayAct(), false);
  await clock.observe();
  assert.equal(clock.doubt?.seenAtMs, noonMs);
});

test('after a long pause the clock is trusted again after a day of running, which starts again with the process', async () => {
  const open = openClocks();
  await open(0).clock.observe();
  const first = open(200 * dayMs);
  await first.run(23 * hourMs);
  assert.notEqual(first.clock.doubt, undefined);
  const second = open(201 * dayMs);
  await second.run(23 * hourMs);
  assert.notEqual(second.clock.doubt, undefined);
  await second.run(2 * hourMs);
  assert.deepEqual([second.clock.doubt, second.events], [undefined, ['clock_doubted', 'clock_believed']]);
});

test('many starts with a wrong clock do not add up to a day', async () => {
  const open = openClocks();
  await open(0).clock.observe();
  for (let start = 0; start < 50; start += 1) {
    const { clock } = open(100 * dayMs + start * 23 * hourMs);
    await clock.observe();
    assert.notEqual(clock.doubt, undefined);
  }
});

test('a clock that another process contradicts is never trusted and changes nothing', async () => {
  const open = openClocks();
  const right = open(0);
  const wrong = open(100 * dayMs);
  await right.clock.observe();
  for (let minute = 0; minute < 30 * 60; minute += 1) {
    await right.run(60_000);
    await wrong.run(60_000);
    assert.equal(right.clock.mayAct(), true);
    assert.equal(wrong.clock.mayAct(), false);
  }
  assert.equal(right.clock.doubt, undefined);
  assert.notEqual(wrong.clock.doubt, undefined);
});

test('after a long pause, schedules continue once no other process has been seen for two minutes', async () => {
  const open = openClocks();
  await open(0).clock.observe();
  const { clock, run } = open(200 * dayMs);
  assert.equal(clock.mayAct(), false);
  await run(60_000);
  assert.equal(clock.mayAct(), false);
  await run(90_000);
  assert.equal(clock.mayAct(), true);
});
