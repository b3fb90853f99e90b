import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPhases, type Passage, type Phase } from './phases.ts';

const never = new AbortController().signal;
const settled = () => new Promise<void>(resolve => setImmediate(resolve));

/** Enters a phase, and records whether it has begun. */
const watch = (passage: Passage, phase: Phase, signal = never) => {
  const seen = { hasBegun: false, error: undefined as unknown };
  passage.enter(phase, signal).then(
    () => {
      seen.hasBegun = true;
    },
    error => {
      seen.error = error;
    },
  );
  return seen;
};

const phaseNames = ['load', 'gather', 'compute', 'alone'] as const;

test('a load shares the processors with nothing but a browser that can be paused', async () => {
  const allowed: readonly [running: Phase, next: Phase][] = [
    ...phaseNames.map((running): [Phase, Phase] => [running, 'gather']),
    ...phaseNames.map((next): [Phase, Phase] => ['gather', next]),
    ['compute', 'compute'],
  ];
  for (const running of phaseNames)
    for (const next of phaseNames) {
      const phases = createPhases(1);
      await phases.begin().enter(running, never);
      const other = watch(phases.begin(), next);
      await settled();
      const isAllowed = allowed.some(([a, b]) => a === running && b === next);
      assert.equal(other.hasBegun, isAllowed, `${next} while ${running}`);
    }
});

test('whoever gathers is paused while another page loads, and goes on after it', async () => {
  const told: boolean[] = [];
  const phases = createPhases(1);
  const gathering = phases.begin(isPaused => told.push(isPaused));
  await gathering.enter('load', never);
  const loading = phases.begin();
  const load = watch(loading, 'load');
  await gathering.enter('gather', never);
  await settled();
  assert.deepEqual([load.hasBegun, told], [true, [true]]);
  loading.rest(true);
  assert.deepEqual(told, [true, false], 'the load waits for the network');
  loading.rest(false);
  await loading.enter('gather', never);
  assert.deepEqual(told, [true, false, true, false]);
  const alone = phases.begin();
  await alone.enter('alone', never);
  gathering.leave();
  assert.deepEqual(told, [true, false, true, false, true, false], 'one that leaves is paused no more');
});

test('with two loads at a time only an exclusive load pauses others', async () => {
  const told: boolean[] = [];
  const phases = createPhases(2);
  await phases.begin(isPaused => told.push(isPaused)).enter('gather', never);
  await phases.begin().enter('load', never);
  assert.equal(told.length, 0);
  await phases.begin().enter('gather', never);
  const other = createPhases(2);
  await other.begin(isPaused => told.push(isPaused)).enter('gather', never);
  await other.begin().enter('alone', never);
  assert.deepEqual(told, [true]);
});

test('each load has two processors, and a computation one', async () => {
  const phases = createPhases(2);
  const [first, second] = [phases.begin(), phases.begin()];
  await first.enter('load', never);
  await second.enter('load', never);
  const third = watch(phases.begin(), 'load');
  const computation = watch(phases.begin(), 'compute');
  await settled();
  assert.deepEqual([third.hasBegun, computation.hasBegun], [false, false]);
  second.leave();
  await settled();
  assert.deepEqual([third.hasBegun, computation.hasBegun], [false, true], 'one processor is free');
  first.rest(true);
  await settled();
  assert.equal(third.hasBegun, true);
});

test('after a load, a queued computation precedes the next load', async () => {
  const phases = createPhases(1);
  const first = phases.begin();
  await first.enter('load', never);
  const load = watch(phases.begin(), 'load');
  const computing = phases.begin();
  const computation = watch(computing, 'compute');
  await first.enter('gather', never);
  await settled();
  assert.deepEqual([load.hasBegun, computation.hasBegun], [false, true]);
  computing.leave();
  await settled();
  assert.equal(load.hasBegun, true);
});

test('an exclusive load precedes others, and is alone until it gathers', async () => {
  const phases = createPhases(1);
  const running = phases.begin();
  await running.enter('load', never);
  const load = watch(phases.begin(), 'load');
  const lonely = phases.begin();
  const alone = watch(lonely, 'alone');
  await settled();
  assert.deepEqual([alone.hasBegun, load.hasBegun], [false, false]);
  await running.enter('gather', never);
  await settled();
  assert.deepEqual([alone.hasBegun, load.hasBegun], [true, false]);
  await lonely.enter('compute', never);
  await lonely.enter('load', never);
  await settled();
  assert.equal(load.hasBegun, false, 'it starts its browser and loads alone');
  await lonely.enter('gather', never);
  await settled();
  assert.equal(load.hasBegun, true);
});

test('an audit that is cancelled while it waits releases its slot', async () => {
  const phases = createPhases(2);
  const running = phases.begin();
  await running.enter('load', never);
  const leaving = new AbortController();
  const alone = watch(phases.begin(), 'alone', leaving.signal);
  const load = watch(phases.begin(), 'load');
  await settled();
  assert.equal(load.hasBegun, false);
  const gone = new Error('gone');
  leaving.abort(gone);
  await settled();
  assert.equal(alone.error, gone);
  assert.equal(load.hasBegun, true);
});

test('an audit that is already cancelled enters no phase', async () => {
  const phases = createPhases(1);
  await assert.rejects(phases.begin().enter('load', AbortSignal.abort(new Error('gone'))), /gone/);
  const next = watch(phases.begin(), 'alone');
  await settled();
  assert.equal(next.hasBegun, true);
});

test('a load that needs no CPU lets another start, and continues without waiting for it', async () => {
  const phases = createPhases(1);
  const slow = phases.begin();
  await slow.enter('load', never);
  const other = phases.begin();
  const load = watch(other, 'load');
  await settled();
  assert.equal(load.hasBegun, false);
  slow.rest(true);
  await settled();
  assert.equal(load.hasBegun, true);
  slow.rest(false);
  other.leave();
  const third = watch(phases.begin(), 'load');
  await settled();
  assert.equal(third.hasBegun, false, 'the slow one loads again');
  slow.leave();
  await settled();
  assert.equal(third.hasBegun, true);
});

test('in the quiet of a load, another audit computes or loads, and nothing new starts when its page wakes', async () => {
  for (const next of ['compute', 'load'] as const) {
    const phases = createPhases(1);
    const quiet = phases.begin();
    await quiet.enter('load', never);
    quiet.rest(true);
    const passage = phases.begin();
    const other = watch(passage, next);
    await settled();
    assert.equal(other.hasBegun, true);
    quiet.rest(false);
    passage.leave();
    const late = watch(phases.begin(), next);
    await settled();
    assert.equal(late.hasBegun, false, `${next} while the page is awake`);
  }
});

test('late in a quiet, another audit computes, but no load starts: it would meet the end of the trace', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const [kind, next, hasBegun] of [
    ['quiet', 'load', false],
    ['quiet', 'compute', true],
    ['waiting', 'load', true],
  ] as const) {
    const phases = createPhases(1);
    const quiet = phases.begin();
    await quiet.enter('load', never);
    quiet.rest(true, kind);
    t.mock.timers.tick(1_000);
    const other = watch(phases.begin(), next);
    await settled();
    assert.equal(other.hasBegun, hasBegun, `${next} late in a load that is ${kind}`);
  }
});

test('an exclusive load waits for a page that is quiet, because it may wake', async () => {
  const phases = createPhases(1);
  const quiet = phases.begin();
  await quiet.enter('load', never);
  quiet.rest(true);
  const alone = watch(phases.begin(), 'alone');
  await settled();
  assert.equal(alone.hasBegun, false);
  await quiet.enter('gather', never);
  await settled();
  assert.equal(alone.hasBegun, true);
});

test('a network wait has no effect on an audit that is alone, or between phases', async () => {
  const phases = createPhases(1);
  const lonely = phases.begin();
  lonely.rest(true);
  await lonely.enter('alone', never);
  lonely.rest(true);
  const load = watch(phases.begin(), 'load');
  await settled();
  assert.equal(load.hasBegun, false);
});

test('an audit that ends while it waits for a phase leaves its place', async () => {
  const phases = createPhases(1);
  const loading = phases.begin();
  await loading.enter('load', never);
  const ended = phases.begin();
  const waiting = watch(ended, 'load');
  ended.leave();
  await settled();
  assert.ok(waiting.error);
  loading.leave();
  const next = watch(phases.begin(), 'load');
  await settled();
  assert.deepEqual([waiting.hasBegun, next.hasBegun], [false, true]);
});
