import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeadline } from './deadline.ts';

test('a deadline aborts with a TimeoutError', async () => {
  const { signal } = createDeadline(1);
  await new Promise(resolve => signal.addEventListener('abort', resolve));
  assert.equal(signal.reason.name, 'TimeoutError');
});

test('excluded time does not count, whether the work succeeds or fails', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deadline = createDeadline(1_000);
  const work = Promise.withResolvers<string>();
  const excluded = deadline.exclude(work.promise);
  t.mock.timers.tick(5_000);
  assert.equal(deadline.signal.aborted, false);
  work.resolve('done');
  assert.equal(await excluded, 'done');
  await assert.rejects(deadline.exclude(Promise.reject(new Error('failed'))), /failed/);
  assert.equal(deadline.signal.aborted, false);
  t.mock.timers.tick(1_000);
  assert.equal(deadline.signal.aborted, true);
});

test('time that is excluded twice counts once', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deadline = createDeadline(1_000);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const both = [deadline.exclude(first.promise), deadline.exclude(second.promise)];
  first.resolve();
  await both[0];
  t.mock.timers.tick(5_000);
  assert.equal(deadline.signal.aborted, false);
  second.resolve();
  await both[1];
  t.mock.timers.tick(1_000);
  assert.equal(deadline.signal.aborted, true);
});

test('a closed deadline never aborts', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const deadline = createDeadline(1_000);
  const work = Promise.withResolvers<void>();
  const excluded = deadline.exclude(work.promise);
  deadline.close();
  work.resolve();
  await excluded;
  t.mock.timers.tick(10_000);
  assert.equal(deadline.signal.aborted, false);
});
