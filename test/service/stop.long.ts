/** The other way in which a process may fail: see stop.test.ts. */
import { test } from 'node:test';
import { assertEndsInOrder } from './own-fault.ts';

test('after an uncaughtException, which is logged, the service is not ready and ends gracefully with an error', t =>
  assertEndsInOrder(t, 'uncaughtException', 'setImmediate(() => { throw new Error("an unforeseen fault") })'));
