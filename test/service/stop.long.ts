/** The other way in which a process may fail: see stop.test.ts. */
import { test } from 'node:test';
import { assertEndsInOrder } from './own-fault.ts';

test('an uncaughtException is logged, readiness goes, and the process ends in order with an error', t =>
  assertEndsInOrder(t, 'uncaughtException', 'setImmediate(() => { throw new Error("an unforeseen fault") })'));
