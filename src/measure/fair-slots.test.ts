import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairSlots } from './fair-turns.ts';

const never = new AbortController().signal;

/** Returns the order in which waiting pages get the only slot. Upper case: a single page. */
async function orderOf(names: readonly string[]): Promise<string[]> {
  const lane = createFairSlots(() => 1);
  const release = await lane.enter({ client: 'x', rank: 0 }, never);
  const order: string[] = [];
  const all = names.map(async (name, rank) => {
    const isBatch = name === name.toLowerCase();
    const leave = await lane.enter({ client: name.slice(0, 1).toLowerCase(), rank, isBatch }, never);
    order.push(name);
    leave();
  });
  release();
  await Promise.all(all);
  return order;
}

test('clients take turns, and single pages are first', async () => {
  assert.deepEqual(await orderOf(['a1', 'a2', 'a3', 'b1', 'A4', 'C1']), ['A4', 'C1', 'a1', 'b1', 'a2', 'a3']);
});

test('no more pages run at once than the slots allow, even if there are more later', async () => {
  let room = 1;
  const lane = createFairSlots(() => room);
  const entered: number[] = [];
  const leaves = [1, 2, 3].map(async rank => {
    const leave = await lane.enter({ client: 'a', rank }, never);
    entered.push(rank);
    return leave;
  });
  const leave = await leaves[0];
  assert.deepEqual(entered, [1]);
  room = 2;
  leave?.();
  leave?.();
  await Promise.all(leaves);
  assert.deepEqual(entered, [1, 2, 3]);
});

test('a page that is cancelled while it waits leaves the queue', async () => {
  const lane = createFairSlots(() => 1);
  const release = await lane.enter({ client: 'a', rank: 1 }, never);
  const stop = new AbortController();
  const waits = lane.enter({ client: 'a', rank: 2 }, stop.signal);
  stop.abort(new Error('no more'));
  await assert.rejects(waits, /no more/);
  await assert.rejects(lane.enter({ client: 'a', rank: 3 }, stop.signal), /no more/);
  const next = lane.enter({ client: 'a', rank: 4 }, never);
  release();
  (await next)();
});
