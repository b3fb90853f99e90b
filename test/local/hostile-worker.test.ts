/**
 * The border between the service and its workers: nothing that a worker sends makes the service kill, write or believe
 * what it should not. A worker that breaks the rules is killed. More breaches of the same kinds: hostile-worker.long.ts.
 */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { whyNoProcessTree } from '../leak/process-tree.ts';
import { until } from '../support/until.ts';
import {
  assertUnharmed,
  folder,
  isRunning,
  notes,
  service,
  testAfterAnswer,
  testBeforeReady,
  testOrders,
} from './hostile-service.ts';

testOrders([
  'the process id 1',
  "the service's process id",
  'the process id of a stranger',
  'the process id of an orphan',
]);
testOrders(['a path as a process id', 'two browsers', 'a stage of a wrong type', 'a failure in a megabyte']);
testOrders(['an unknown message', 'no JSON', 'idle without a result', 'a result of more bytes than it may send']);
testOrders(['a result without end', 'errors without end', 'a result of another shape']);
testAfterAnswer(['a browser after the result', 'nothing after the result', 'half a message after idle']);
testBeforeReady(['a result before ready', 'a line without end before ready']);

test('a browser that descends from its worker is killed with it', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const leaving = new AbortController();
  const answer = service.audit('a browser of its own, and then silence', { signal: leaving.signal });
  answer.catch(() => {});
  // The service writes a note for each process it knows of: the worker and its browser.
  await until(async () => (await notes()).length === 2);
  const noted = (await notes()).map(Number);
  assert.ok(noted.every(isRunning));
  leaving.abort();
  await until(() => !noted.some(isRunning));
  await assertUnharmed();
  assert.deepEqual(await notes(), []);
});

test('a browser that has already ended is not a violation, and no process is killed for it', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const before = service.killed.all.length;
  const first = await service.audit<Result>('the process id of nobody');
  const second = await service.audit<Result>('an answer in good order');
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(second.body.environment.user_agent, first.body.environment.user_agent, 'the same worker');
  assert.equal(service.killed.all.length, before);
  await assertUnharmed();
});

test('no file is left behind', async () => {
  await service.close(0);
  assert.deepEqual(await readdir(folder), []);
});
