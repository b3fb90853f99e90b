import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMachineLoad } from './machine-load.ts';

const second = 1_000;

/** A machine whose clock stands still at noon until it is advanced. */
function createMachine() {
  let at = Date.parse('2026-11-20T12:00:00.000Z');
  const machine = createMachineLoad(() => at);
  return {
    begin: machine.begin,
    wait: (ms: number) => {
      at += ms;
    },
  };
}

test('the first audit runs the benchmark, and audits within the next minute reuse it', () => {
  const { begin, wait } = createMachine();
  const first = begin();
  assert.equal(first.benchmarkIndex, undefined);
  wait(5 * second);
  assert.deepEqual(first.end(2000), {
    benchmarkTakenAt: '2026-11-20T12:00:00.000Z',
    benchmarkConcurrentAudits: 0,
    concurrentAudits: 0,
    benchmarkUsual: null,
  });
  wait(50 * second);
  const next = begin();
  assert.equal(next.benchmarkIndex, 2000);
  assert.equal(next.end(2000).benchmarkTakenAt, '2026-11-20T12:00:00.000Z');
  wait(10 * second);
  assert.equal(begin().benchmarkIndex, undefined, 'a minute later it is taken anew');
});

test('a benchmark taken during another audit is marked, and used only until an audit runs alone', () => {
  const { begin, wait } = createMachine();
  const [one, other] = [begin(), begin()];
  assert.deepEqual([one.benchmarkIndex, other.benchmarkIndex], [undefined, undefined]);
  assert.equal(one.end(1900).benchmarkConcurrentAudits, 0, 'it began alone');
  assert.deepEqual(other.end(1200), {
    benchmarkTakenAt: '2026-11-20T12:00:00.000Z',
    benchmarkConcurrentAudits: 1,
    concurrentAudits: 1,
    benchmarkUsual: null,
  });
  wait(second);
  const alone = begin();
  assert.equal(alone.benchmarkIndex, undefined);
  const beside = begin();
  assert.equal(beside.benchmarkIndex, 1200);
});

test('without quiet times, a benchmark taken on a quiet machine is used for 15 minutes', () => {
  const { begin, wait } = createMachine();
  begin().end(2000);
  wait(14 * 60 * second);
  const [, busy] = [begin(), begin()];
  assert.equal(busy.benchmarkIndex, 2000);
  wait(60 * second);
  assert.equal(begin().benchmarkIndex, undefined);
});

test('a failed audit has measured nothing, and no longer counts as running', () => {
  const { begin } = createMachine();
  begin().end();
  const next = begin();
  assert.equal(next.benchmarkIndex, undefined);
  assert.equal(next.end(2000).concurrentAudits, 0);
});

test('the maximum of concurrent audits is counted, including those that start later', () => {
  const { begin } = createMachine();
  const long = begin();
  begin().end(2000);
  begin().end(2000);
  assert.equal(long.end(2000).concurrentAudits, 1);
});

test('the next audits use a benchmark taken on a quiet machine, even one that was repeated', () => {
  const { begin, wait } = createMachine();
  const first = begin();
  assert.deepEqual(first.quietIndices, []);
  assert.equal(first.end(2100, [1900, 2000, 2100]).benchmarkUsual, 2000, 'the last stands in the result, once');
  const next = begin();
  assert.deepEqual(next.quietIndices, [1900, 2000, 2100]);
  next.end(2100);
  wait(61 * second);
  const [alone, beside] = [begin(), begin()];
  beside.end(900, [800, 900]);
  alone.end(2200);
  assert.deepEqual(begin().quietIndices, [1900, 2000, 2100, 2200], 'not what was measured beside another audit');
});

test('ending an audit twice changes nothing', () => {
  const { begin } = createMachine();
  const load = begin();
  load.end(2000);
  load.end();
  assert.equal(begin().benchmarkIndex, 2000);
});

test('the usual index is the median of those taken on a quiet machine', () => {
  const { begin, wait } = createMachine();
  const take = (index: number) => {
    wait(61 * second);
    return begin().end(index).benchmarkUsual;
  };
  assert.deepEqual([2000, 2100, 900, 2050].map(take), [null, null, 2000, 2050]);
  wait(61 * second);
  const [alone, beside] = [begin(), begin()];
  alone.end(2050);
  assert.equal(beside.end(10).benchmarkUsual, 2050, 'one taken beside another audit does not count');
  for (let at = 0; at < 30; at += 1) take(1000);
  assert.equal(take(1000), 1000, 'a machine may change');
});

test('an audit that runs alone has no concurrent one, even if another waits in its slot', () => {
  const { begin, wait } = createMachine();
  begin().end(2000);
  wait(5 * second);
  const waiting = begin();
  const alone = begin(true);
  assert.equal(alone.benchmarkIndex, 2000);
  assert.equal(alone.end(2000).concurrentAudits, 0);
  assert.equal(waiting.end(2000).concurrentAudits, 0);
});

test('a benchmark taken during another audit is repeated by one that runs alone', () => {
  const { begin } = createMachine();
  const [one, other] = [begin(), begin()];
  one.end();
  other.end(1200);
  const waiting = begin();
  const alone = begin(true);
  assert.equal(alone.benchmarkIndex, undefined);
  assert.equal(alone.end(2000).benchmarkConcurrentAudits, 0);
  waiting.end();
});
