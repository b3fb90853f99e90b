/** Tests several clients in one queue. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { type AuditQueue, type AuditSlot, createAuditQueue } from './audit-queue.ts';

const connected = () => new AbortController().signal;

/** Enters as a client, and records the outcome and the reported positions. */
function enterAs(queue: AuditQueue, client: string, signal = connected()) {
  const positions: number[] = [];
  const entry = queue.enter(signal, { client, onPosition: position => positions.push(position) });
  const ended = entry.then(
    () => 'admitted',
    (error: unknown) => (error instanceof AnalysisError ? `${error.code} ${error.retryAfterSeconds}` : 'cancelled'),
  );
  return { client, entry, ended, positions };
}

const enterTimes = (queue: AuditQueue, client: string, times: number) =>
  Array.from({ length: times }, () => enterAs(queue, client));

const occupyAll = (queue: AuditQueue, slots: number): Promise<AuditSlot[]> =>
  Promise.all(Array.from({ length: slots }, () => queue.enter(connected(), { client: 'running' })));

const lastOf = (entries: readonly { positions: readonly number[] }[]) =>
  entries.map(({ positions }) => positions.at(-1));

test("with 50 queued audits of one client, another client's single audit waits behind one", async () => {
  const queue = createAuditQueue(1, 100);
  const [slot] = await occupyAll(queue, 1);
  const many = enterTimes(queue, 'a', 50);
  const single = enterAs(queue, 'b');
  assert.deepEqual(single.positions, [2]);
  slot?.release();
  (await many[0]?.entry)?.release();
  await single.entry;
  assert.equal(queue.queued, 49);
});

test('every client gets its true position, even when it grows', async () => {
  const queue = createAuditQueue(1, 100);
  const [slot] = await occupyAll(queue, 1);
  const many = enterTimes(queue, 'a', 3);
  assert.deepEqual(lastOf(many), [1, 2, 3]);
  const disconnect = new AbortController();
  const other = enterAs(queue, 'b', disconnect.signal);
  const third = enterAs(queue, 'c');
  assert.deepEqual([...lastOf(many), ...lastOf([other, third])], [1, 4, 5, 2, 3]);
  disconnect.abort();
  assert.deepEqual([...lastOf(many), ...lastOf([third])], [1, 3, 4, 2]);
  slot?.release();
  assert.deepEqual([...lastOf(many).slice(1), ...lastOf([third])], [2, 3, 1]);
  assert.deepEqual(many[2]?.positions, [3, 4, 5, 4, 3]);
});

test('a single client can use the whole queue', async () => {
  const queue = createAuditQueue(2, 5);
  await occupyAll(queue, 2);
  const many = enterTimes(queue, 'a', 5);
  assert.deepEqual(lastOf(many), [1, 2, 3, 4, 5]);
  assert.equal(await enterAs(queue, 'a').ended, 'queue_full 30', 'six stays of 10 s, two at a time');
});

test('one client cannot fill the queue against others: its last audit makes room', async () => {
  const queue = createAuditQueue(2, 5);
  await occupyAll(queue, 2);
  const many = enterTimes(queue, 'a', 5);
  const other = enterAs(queue, 'b');
  assert.deepEqual([queue.queued, other.positions], [5, [2]]);
  const displaced = await many[4]?.ended;
  // A fifth audit of a would be sixth in the queue, behind four of its own and one of b: 6 × 10 s in two slots.
  assert.equal(displaced, 'queue_full 30');
  await assert.rejects(
    many[4]?.entry ?? assert.fail(),
    /this audit was removed to make room for another client\. Retry in 30 s\.$/,
  );
  assert.deepEqual(lastOf(many.slice(0, 4)), [1, 3, 4, 5]);
});

test('room is made until a client has its fair share, and not by a client with no more', async () => {
  const queue = createAuditQueue(1, 4);
  await occupyAll(queue, 1);
  const many = enterTimes(queue, 'a', 4);
  const others = enterTimes(queue, 'b', 2);
  assert.equal(await enterAs(queue, 'b').ended, 'queue_full 50', 'two each: b is the fifth');
  assert.equal(await enterAs(queue, 'a').ended, 'queue_full 50');
  const third = enterAs(queue, 'c');
  assert.deepEqual(await Promise.all([many[2]?.ended, many[3]?.ended]), ['queue_full 50', 'queue_full 50']);
  // Of two clients with equally many audits, the one whose turn comes later makes room.
  assert.equal(await others[1]?.ended, 'queue_full 50');
  assert.deepEqual(lastOf([...many.slice(0, 2), ...others.slice(0, 1), third]), [1, 4, 2, 3]);
});

test('a queue of length 0 rejects all clients alike', async () => {
  const queue = createAuditQueue(2, 0);
  await occupyAll(queue, 2);
  assert.deepEqual(
    [await enterAs(queue, 'a').ended, await enterAs(queue, 'b').ended],
    ['queue_full 5', 'queue_full 5'],
  );
});

test('a client that cancels while it receives its position is removed, and the others get true positions', async () => {
  const queue = createAuditQueue(1, 10);
  const [slot] = await occupyAll(queue, 1);
  const disconnect = new AbortController();
  const first = enterAs(queue, 'a');
  const fickle = queue.enter(disconnect.signal, {
    client: 'a',
    onPosition: position => position === 1 && disconnect.abort(new Error('gone')),
  });
  const last = enterAs(queue, 'a');
  slot?.release();
  (await first.entry).release();
  await assert.rejects(fickle, /gone/);
  await last.entry;
  assert.deepEqual(last.positions, [3, 1]);
  const early = new AbortController();
  await assert.rejects(queue.enter(early.signal, { onPosition: () => early.abort(new Error('at once')) }), /at once/);
  assert.equal(queue.queued, 0);
});

test('audits without a client take turns as one client', async () => {
  const queue = createAuditQueue(1, 10);
  await occupyAll(queue, 1);
  const nameless = [queue.enter(connected()), queue.enter(connected())];
  for (const entry of nameless) entry.catch(() => {});
  assert.deepEqual(enterAs(queue, 'a').positions, [2]);
});
