import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurns } from './fair-turns.ts';

const by = (client: string, signal = new AbortController().signal) => ({ client, signal });

test('one task runs at a time, in the order of arrival', async () => {
  const turns = createTurns();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await new Promise(setImmediate);
    order.push(`${name} ends`);
  };
  await Promise.all([turns(work('a'), by('one')), turns(work('b'), by('one'))]);
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('a task beyond the queue limit is rejected with Retry-After', async () => {
  const turns = createTurns({ mostWaiting: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const [working, waiting, leaving] = [new AbortController(), new AbortController(), new AbortController()];
  const done = [working, waiting].map(({ signal }) => turns(() => promise, by('one', signal)));
  const left = assert.rejects(
    turns(() => promise, by('one', leaving.signal)),
    { name: 'AbortError' },
  );
  await assert.rejects(
    turns(() => promise, by('one')),
    { code: 'results_unavailable', retryAfterSeconds: 5 },
  );
  leaving.abort();
  await left;
  const next = turns(async () => 'next', by('one'));
  resolve();
  await Promise.all(done);
  assert.equal(await next, 'next');
});

test('a failed task passes its turn to the next', async () => {
  const turns = createTurns();
  await assert.rejects(
    turns(() => Promise.reject(new Error('failed')), by('one')),
    /failed/,
  );
  assert.equal(await turns(async () => 1, by('one')), 1);
});

test('a client that fills the queue delays another by one task, and loses its last place to it', async () => {
  const turns = createTurns({ mostWaiting: 4 });
  const first = Promise.withResolvers<void>();
  const order: string[] = [];
  const work = (name: string) => async () => void order.push(name);
  const running = turns(() => first.promise, by('one'));
  const [a, b, c, last] = ['a', 'b', 'c', 'd'].map(name => turns(work(name), by('one')));
  const displaced = assert.rejects(Promise.resolve(last), { code: 'results_unavailable', retryAfterSeconds: 5 });
  const other = turns(work('other'), by('two'));
  await displaced;
  first.resolve();
  await Promise.all([running, a, b, c, other]);
  assert.deepEqual(order.toSorted(), ['a', 'b', 'c', 'other']);
  assert.ok(order.indexOf('other') <= 1);
});

test('a client has at most its share of the turns, and the rest stay free for others', async () => {
  const turns = createTurns({ atOnce: 3, perClient: 2 });
  const held = Promise.withResolvers<void>();
  let begun = 0;
  const hold = () => {
    begun += 1;
    return held.promise;
  };
  const all = [1, 2, 3, 4].map(() => turns(hold, by('one')));
  assert.equal(begun, 2);
  assert.equal(await turns(async () => 'served', by('two')), 'served');
  held.resolve();
  await Promise.all(all);
  assert.equal(begun, 4);
});

test('work whose caller has left keeps its turn until it ends', async () => {
  const turns = createTurns();
  const first = Promise.withResolvers<string>();
  const caller = new AbortController();
  const left = assert.rejects(
    turns(() => first.promise, by('one', caller.signal)),
    { name: 'AbortError' },
  );
  let hasBegun = false;
  const work = async () => {
    hasBegun = true;
    return 'next';
  };
  const next = turns(work, by('one'));
  caller.abort();
  await left;
  for (let round = 0; round < 20; round += 1) await new Promise(setImmediate);
  assert.equal(hasBegun, false);
  first.resolve('too late');
  assert.equal(await next, 'next');
});

test('a caller that leaves before its turn takes none, and a failure after leaving is no fault of the process', async () => {
  const turns = createTurns();
  const first = Promise.withResolvers<string>();
  const [caller, waiting] = [new AbortController(), new AbortController()];
  const working = assert.rejects(turns(() => first.promise, by('one', caller.signal)));
  const never = assert.rejects(turns(async () => assert.fail('it had no turn'), by('one', waiting.signal)));
  waiting.abort();
  caller.abort();
  await Promise.all([working, never]);
  first.reject(new Error('the work failed'));
  await turns(async () => {}, by('one'));
});
