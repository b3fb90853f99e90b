import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Told } from './ask-service.ts';
import { advance, finishLane, type LaneState, sayStep, startLane } from './progress.ts';

const local = { source: 'lighthouse', strategy: 'mobile' } as const;
const remote = { source: 'psi', strategy: 'mobile' } as const;
const wayOf = (lane: LaneState, ...told: Told[]) => {
  let now = lane;
  return told.map(event => {
    now = advance(now, event);
    return sayStep(now);
  });
};

test('a local audit is followed from the line to its end', () => {
  assert.deepEqual(
    wayOf(
      startLane(local),
      { ...local, event: 'queued', position: 2 },
      { ...local, event: 'queued', position: 1 },
      { ...local, event: 'started' },
      { ...local, event: 'progress', stage: 'preparing' },
      { ...local, event: 'progress', stage: 'loading' },
      { ...local, event: 'progress', stage: 'gathering' },
      { ...local, event: 'progress', stage: 'auditing' },
    ),
    ['2nd in line', 'Next in line', 'Getting ready', 'Getting ready', 'Loading the page', 'Gathering', 'Auditing'],
  );
});

test('a remote analysis says when it is tried again', () => {
  assert.deepEqual(
    wayOf(
      startLane(remote),
      { ...remote, event: 'queued', position: 1 },
      { ...remote, event: 'started' },
      { ...remote, event: 'progress', stage: 'waiting' },
      { ...remote, event: 'progress', stage: 'retrying' },
    ),
    ['Next in line', 'Handed over', 'Measuring', 'Measuring, second attempt'],
  );
});

test('a service that says nothing is not put words into its mouth', () => {
  assert.match(sayStep(startLane(local)), /has not said/);
});

test('what is not understood changes nothing', () => {
  const lane = advance(startLane(local), { ...local, event: 'progress', stage: 'loading' });
  assert.equal(advance(lane, { ...local, event: 'progress', stage: 'dreaming' }), lane);
  assert.equal(advance(lane, { ...local, event: 'hello' } as unknown as Told), lane);
});

test('a late start does not lead back', () => {
  const loading = advance(startLane(local), { ...local, event: 'progress', stage: 'loading' });
  assert.equal(sayStep(advance(loading, { ...local, event: 'started' })), 'Loading the page');
});

test('the end is the end, whatever was told before', () => {
  assert.equal(sayStep(finishLane(startLane(local))), 'Done');
  assert.equal(sayStep(finishLane(startLane(remote))), 'Done');
});
