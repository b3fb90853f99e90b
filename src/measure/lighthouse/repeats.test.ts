import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRepeats } from './repeats.ts';

const minute = 60_000;
const never = new AbortController().signal;

/** A page whose successive loads are disturbed by these milliseconds; `failed`: the load fails. */
function createPage(...disturbances: readonly (number | 'failed')[]) {
  const [loads, discarded] = [[] as string[], [] as number[]];
  return {
    loads,
    discarded,
    async load(isAlone: boolean) {
      const disturbedMs = disturbances[loads.length] ?? 'failed';
      loads.push(isAlone ? 'alone' : 'usual');
      if (disturbedMs === 'failed') throw new Error('the page failed');
      return { disturbedMs, cleared: Promise.resolve(), discard: async () => void discarded.push(disturbedMs) };
    },
  };
}

/** @returns the outcome, and the number of loads */
async function measure(repeats: ReturnType<typeof createRepeats>, ...disturbances: readonly (number | 'failed')[]) {
  const page = createPage(...disturbances);
  const { load, repeated } = await repeats.measure(page.load, never);
  return { disturbedMs: load.disturbedMs, repeated, loads: page.loads.length, discarded: page.discarded };
}

const createUsual = (changes: Partial<Parameters<typeof createRepeats>[0]> = {}) =>
  createRepeats({ most: 2, withinMs: 2 * minute, now: () => 0, ...changes });

test('a quiet load is returned unchanged', async () => {
  assert.deepEqual(await measure(createUsual(), 0), { disturbedMs: 0, repeated: 0, loads: 1, discarded: [] });
});

test('a disturbed load is repeated alone, and the quiet one is returned', async () => {
  const page = createPage(300, 0);
  const { load, repeated } = await createUsual().measure(page.load, never);
  assert.deepEqual([load.disturbedMs, repeated], [0, 1]);
  assert.deepEqual([page.loads, page.discarded], [['usual', 'alone'], [300]]);
});

test('a second repeat requires that the first left less than 0.7 of the disturbance', async () => {
  assert.deepEqual(await measure(createUsual(), 300, 209, 100, 0), {
    disturbedMs: 100,
    repeated: 2,
    loads: 3,
    discarded: [300, 209],
  });
  assert.deepEqual(await measure(createUsual(), 300, 210, 0), {
    disturbedMs: 210,
    repeated: 1,
    loads: 2,
    discarded: [300],
  });
});

test('the least disturbed load is returned, whichever it was', async () => {
  assert.deepEqual(await measure(createUsual(), 300, 400), {
    disturbedMs: 300,
    repeated: 1,
    loads: 2,
    discarded: [400],
  });
  assert.deepEqual(await measure(createUsual(), 300, 100, 200), {
    disturbedMs: 100,
    repeated: 2,
    loads: 3,
    discarded: [300, 200],
  });
});

test('a failed repeat does not fail the answer, and does not count', async () => {
  assert.deepEqual(await measure(createUsual(), 300, 'failed'), {
    disturbedMs: 300,
    repeated: 0,
    loads: 2,
    discarded: [],
  });
  await assert.rejects(measure(createUsual(), 'failed'), /the page failed/);
});

test('there are no more repeats than the setting allows', async () => {
  assert.equal((await measure(createUsual({ most: 0 }), 300)).loads, 1);
  assert.equal((await measure(createUsual({ most: 1 }), 300, 100)).loads, 2);
});

test('no repeat starts after the time limit of one audit', async () => {
  let at = 0;
  const repeats = createUsual({ now: () => at });
  const page = createPage(300, 100, 0);
  const { load } = await repeats.measure(async isAlone => {
    at += 1.5 * minute;
    return page.load(isAlone);
  }, never);
  assert.deepEqual([load.disturbedMs, page.loads.length], [100, 2]);
});

test('on a permanently busy machine, three useless repeats in a row stop further ones for ten minutes', async () => {
  let at = 0;
  const repeats = createUsual({ now: () => at });
  const loads = async () => (await measure(repeats, 300, 300)).loads;
  assert.deepEqual([await loads(), await loads(), await loads(), await loads()], [2, 2, 2, 1]);
  at += 10 * minute;
  assert.deepEqual([await loads(), await loads()], [2, 1], 'one is enough to see that it still does not help');
  at += 10 * minute;
  assert.equal((await measure(repeats, 300, 0)).loads, 2);
  assert.deepEqual([await loads(), await loads(), await loads(), await loads()], [2, 2, 2, 1], 'one that helps counts');
});

test('an abort during the repeat discards every load', async () => {
  const leaving = new AbortController();
  const gone = new Error('gone');
  const page = createPage(300, 100);
  const measured = createUsual().measure(async isAlone => {
    const load = await page.load(isAlone);
    if (isAlone) leaving.abort(gone);
    return load;
  }, leaving.signal);
  await assert.rejects(measured, gone);
  assert.deepEqual(page.discarded, [300, 100]);
});

test('a service that stops answers with the load it has, and starts no repeat', async () => {
  const repeats = createUsual();
  const page = createPage(300, 'failed');
  const { load } = await repeats.measure(async isAlone => {
    if (isAlone) repeats.stop();
    return page.load(isAlone);
  }, never);
  assert.equal(load.disturbedMs, 300);
  assert.equal((await measure(repeats, 300, 0)).loads, 1);
});

test('a repeat waits until the browser of the previous load is gone', async () => {
  const cleared = Promise.withResolvers<void>();
  const events: string[] = [];
  const measured = createUsual().measure(async isAlone => {
    events.push(isAlone ? 'repeat' : 'load');
    return {
      disturbedMs: isAlone ? 0 : 300,
      cleared: isAlone ? Promise.resolve() : cleared.promise,
      discard: async () => {},
    };
  }, never);
  await new Promise(setImmediate);
  events.push('cleared');
  cleared.resolve();
  await measured;
  assert.deepEqual(events, ['load', 'cleared', 'repeat']);
});
