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

test('with one load at a time, computing waits for a load, and waiting for the network does not', async () => {
  const expected: readonly [Phase, Phase, boolean][] = [
    ['load', 'load', false],
    ['load', 'compute', false],
    ['load', 'gather', true],
    ['compute', 'load', false],
    ['compute', 'compute', true],
    ['compute', 'gather', true],
    ['gather', 'load', true],
    ['gather', 'compute', true],
    ['gather', 'gather', true],
    ...(['load', 'gather', 'compute'] as const).flatMap((phase): [Phase, Phase, boolean][] => [
      [phase, 'alone', false],
      ['alone', phase, false],
    ]),
    ['alone', 'alone', false],
  ];
  for (const [running, next, begins] of expected) {
    const phases = createPhases(1);
    await phases.begin().enter(running, never);
    const other = watch(phases.begin(), next);
    await settled();
    assert.equal(other.hasBegun, begins, `${next} while ${running}`);
  }
});

test('with two loads at a time, a third load waits and computations do not', async () => {
  const phases = createPhases(2);
  const [first, second] = [phases.begin(), phases.begin()];
  await first.enter('load', never);
  await second.enter('load', never);
  const third = watch(phases.begin(), 'load');
  const computation = watch(phases.begin(), 'compute');
  await settled();
  assert.deepEqual([third.hasBegun, computation.hasBegun], [false, true]);
  second.leave();
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

test('no load starts while an exclusive audit waits, and running audits end first', async () => {
  const phases = createPhases(1);
  const running = phases.begin();
  await running.enter('load', never);
  const lonely = phases.begin();
  const alone = watch(lonely, 'alone');
  const load = watch(phases.begin(), 'load');
  await running.enter('gather', never);
  await settled();
  assert.deepEqual([alone.hasBegun, load.hasBegun], [false, false]);
  await running.enter('compute', never);
  running.leave();
  await settled();
  assert.deepEqual([alone.hasBegun, load.hasBegun], [true, false]);
  await lonely.enter('load', never);
  await lonely.enter('compute', never);
  await settled();
  assert.equal(load.hasBegun, false, 'it stays alone through all of its phases');
  lonely.leave();
  await settled();
  assert.equal(load.hasBegun, true);
});

test('an audit that is cancelled while it waits releases its slot', async () => {
  const phases = createPhases(1);
  const running = phases.begin();
  await running.enter('gather', never);
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

test('a load that waits for the network lets another start, and continues without waiting for it', async () => {
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
