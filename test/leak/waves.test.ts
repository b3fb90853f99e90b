/** The leak check detects a leak of each kind. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLeaks, type Wave } from './waves.ts';

const megabyte = 1024 * 1024;
const calm: Wave = {
  heapBytes: 20 * megabyte,
  residentBytes: 100 * megabyte,
  resources: { TCPServerWrap: 1 },
  openFiles: 24,
  processes: 0,
  workers: 2,
  folders: 0,
  seconds: 1,
};

test('a wave like the one before it leaks nothing, however much memory the process was given', () => {
  assert.deepEqual(findLeaks(calm, [calm, { ...calm, residentBytes: 200 * megabyte, workers: 0 }]), []);
});

test('a leak of every kind is detected, in whichever wave it occurs', () => {
  const leaks: Partial<Wave>[] = [
    { processes: 1 },
    { folders: 1 },
    { workers: 3 },
    { openFiles: 25 },
    { openFiles: 23 },
    { resources: { TCPServerWrap: 1, Timeout: 1 } },
    { resources: {} },
  ];
  for (const leak of leaks)
    for (const waves of [
      [{ ...calm, ...leak }, calm],
      [calm, { ...calm, ...leak }],
    ])
      assert.equal(findLeaks(calm, waves).length, 1, JSON.stringify(leak));
});

test('the heap may grow by less than 2 MB a wave', () => {
  const grown = (megabytes: number) => ({ ...calm, heapBytes: calm.heapBytes + megabytes * megabyte });
  assert.deepEqual(findLeaks(calm, [grown(1), grown(3.9)]), []);
  assert.deepEqual(findLeaks(calm, [grown(1), grown(4)]), ['the heap grew by 2.0 MB a wave']);
});

test('no wave proves nothing', () => {
  assert.deepEqual(findLeaks(calm, []), ['no wave was measured']);
});
