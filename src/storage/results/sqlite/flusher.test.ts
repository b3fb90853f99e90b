import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFlusher } from './flusher.ts';

test('the log is moved into the file once after two seconds without writes, and never after a stop', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let flushes = 0;
  const flusher = createFlusher({
    path: undefined,
    flush() {
      flushes += 1;
    },
  });
  flusher.written();
  t.mock.timers.tick(1999);
  flusher.written();
  t.mock.timers.tick(1999);
  assert.equal(flushes, 0);
  t.mock.timers.tick(1);
  t.mock.timers.tick(10_000);
  assert.equal(flushes, 1);
  flusher.written();
  flusher.stop();
  t.mock.timers.tick(10_000);
  assert.equal(flushes, 1);
});

test('a missing log, or one that cannot be moved, is no error', t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const flusher = createFlusher({
    path: '/nowhere/results.sqlite',
    flush() {
      throw new Error('the disk is full');
    },
  });
  flusher.written();
  t.mock.timers.tick(5000);
});
