import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProgressUpdate } from './ask-service.ts';
import { advance, finishLane, type LaneState, sayStep, startLane } from './progress.ts';

const local = { source: 'lighthouse', strategy: 'mobile' } as const;
const remote = { source: 'psi', strategy: 'mobile' } as const;
const wayOf = (lane: LaneState, ...update: ProgressUpdate[]) => {
  let now = lane;
  return update.map(event => {
    now = advance(now, event);
    return sayStep(now);
  });
};

test('the progress follows a local audit from the queue to its end', () => {
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
    ['2nd in the queue', 'Next in the queue', 'Starting', 'Starting', 'Loading the page', 'Gathering', 'Auditing'],
  );
});

test('the retry of a remote analysis is shown', () => {
  assert.deepEqual(
    wayOf(
      startLane(remote),
      { ...remote, event: 'queued', position: 1 },
      { ...remote, event: 'started' },
      { ...remote, event: 'progress', stage: 'waiting' },
      { ...remote, event: 'progress', stage: 'retrying' },
    ),
    ['Next in the queue', 'Sent', 'Measuring', 'Measuring again'],
  );
});

test('without progress events, the text says that no progress was reported', () => {
  assert.match(sayStep(startLane(local)), /no progress reported/);
});

test('an unknown event changes nothing', () => {
  const lane = advance(startLane(local), { ...local, event: 'progress', stage: 'loading' });
  assert.equal(advance(lane, { ...local, event: 'progress', stage: 'dreaming' }), lane);
  assert.equal(advance(lane, { ...local, event: 'hello' } as unknown as ProgressUpdate), lane);
});

test('a late start event does not move the progress back', () => {
  const loading = advance(startLane(local), { ...local, event: 'progress', stage: 'loading' });
  assert.equal(sayStep(advance(loading, { ...local, event: 'started' })), 'Loading the page');
});

test('progress is complete at the end, whatever the earlier events', () => {
  assert.equal(sayStep(finishLane(startLane(local))), 'Done');
  assert.equal(sayStep(finishLane(startLane(remote))), 'Done');
});

test('the progress says that a disturbed load is measured again', () => {
  assert.deepEqual(
    wayOf(
      startLane(local),
      { ...local, event: 'started' },
      { ...local, event: 'progress', stage: 'auditing' },
      { ...local, event: 'progress', stage: 'repeating' },
      { ...local, event: 'progress', stage: 'loading' },
    ),
    [
      ...['Starting', 'Auditing', 'Starting again: the first load was disturbed'],
      'Loading the page again: the first load was disturbed',
    ],
  );
});
