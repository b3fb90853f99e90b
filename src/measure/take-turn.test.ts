import assert from 'node:assert/strict';
import { test } from 'node:test';
import PQueue from 'p-queue';
import { takeTurn } from './take-turn.ts';

const staying = new AbortController().signal;

test('work whose caller has left keeps its turn until it ends', async () => {
  const queue = new PQueue({ concurrency: 1 });
  const first = Promise.withResolvers<string>();
  const caller = new AbortController();
  const left = assert.rejects(
    takeTurn(queue, () => first.promise, caller.signal),
    { name: 'AbortError' },
  );
  let hasBegun = false;
  const next = takeTurn(
    queue,
    async () => {
      hasBegun = true;
      return 'next';
    },
    staying,
  );
  caller.abort();
  await left;
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  assert.equal(hasBegun, false);
  first.resolve('too late');
  assert.equal(await next, 'next');
});

test('a caller that leaves before its turn takes none, and a failure after leaving is no fault of the process', async () => {
  const queue = new PQueue({ concurrency: 1 });
  const first = Promise.withResolvers<string>();
  const [caller, waiting] = [new AbortController(), new AbortController()];
  const working = assert.rejects(takeTurn(queue, () => first.promise, caller.signal));
  const never = assert.rejects(takeTurn(queue, async () => assert.fail('it had no turn'), waiting.signal));
  waiting.abort();
  caller.abort();
  await Promise.all([working, never]);
  first.reject(new Error('the work failed'));
  await queue.onIdle();
});
