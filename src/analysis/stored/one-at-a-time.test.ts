import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './one-at-a-time.ts';

const staying = new AbortController().signal;

test('one task runs at a time, in the order of arrival', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
  };
  await Promise.all([turns(work('a'), staying), turns(work('b'), staying)]);
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a task beyond the queue limit is rejected with Retry-After', async () => {
  const turns = createTurns(2);
  const { promise, resolve } = Promise.withResolvers<void>();
  const [working, waiting, leaving] = [new AbortController(), new AbortController(), new AbortController()];
  const done = [working, waiting].map(({ signal }) => turns(() => promise, signal));
  const left = assert.rejects(
    turns(() => promise, leaving.signal),
    { name: 'AbortError' },
  );
  await assert.rejects(
    turns(() => promise, staying),
    { code: 'results_unavailable', retryAfterSeconds: 5 },
  );
  leaving.abort();
  await left;
  const next = turns(async () => 'next', staying);
  resolve();
  await Promise.all(done);
  assert.equal(await next, 'next');
});

test('a failed task passes its turn to the next', async () => {
  const turns = createTurns(1);
  await assert.rejects(
    turns(() => Promise.reject(new Error('failed')), staying),
    /failed/,
  );
  assert.equal(await turns(async () => 1, staying), 1);
});
