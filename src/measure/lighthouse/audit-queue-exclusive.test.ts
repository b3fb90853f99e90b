import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AuditSlot, createAuditQueue, type EnterOptions } from './audit-queue.ts';

const connected = () => new AbortController().signal;

/** Creates a queue, and records the names of admitted audits in order. */
function createRunning(slots: number) {
  const queue = createAuditQueue(slots, 20);
  const admitted: string[] = [];
  const held = new Map<string, AuditSlot>();
  const enter = (name: string, options: EnterOptions = {}, signal = connected()) =>
    queue.enter(signal, options).then(slot => {
      admitted.push(name);
      held.set(name, slot);
    });
  const release = async (name: string) => {
    held.get(name)?.release();
    await new Promise(setImmediate);
  };
  return { queue, admitted, enter, release };
}

const settled = () => new Promise(setImmediate);

test('an exclusive audit waits until no other runs, and none starts alongside it', async () => {
  const { queue, admitted, enter, release } = createRunning(2);
  await enter('a');
  void enter('alone', { exclusive: true });
  void enter('b');
  void enter('c');
  await settled();
  assert.deepEqual(admitted, ['a'], 'a slot is free, and what came later waits behind it');
  await release('a');
  assert.deepEqual(admitted, ['a', 'alone']);
  assert.deepEqual([queue.running, queue.queued], [1, 2]);
  await release('alone');
  assert.deepEqual(admitted, ['a', 'alone', 'b', 'c']);
});

test('an exclusive audit on an idle machine starts immediately', async () => {
  const { admitted, enter, release } = createRunning(2);
  await enter('alone', { exclusive: true });
  void enter('next', { exclusive: true });
  void enter('b');
  await settled();
  assert.deepEqual(admitted, ['alone']);
  await release('alone');
  assert.deepEqual(admitted, ['alone', 'next']);
  await release('next');
  assert.deepEqual(admitted, ['alone', 'next', 'b']);
});

test('clients take turns, exclusive or not', async () => {
  const { admitted, enter, release } = createRunning(2);
  await enter('a1', { client: 'a' });
  await enter('a2', { client: 'a' });
  for (const name of ['a3', 'a4']) void enter(name, { client: 'a', exclusive: true });
  void enter('b', { client: 'b' });
  await release('a1');
  await release('a2');
  assert.deepEqual(admitted.slice(2), ['a3']);
  await release('a3');
  assert.deepEqual(admitted.slice(3), ['b']);
  await release('b');
  assert.deepEqual(admitted.slice(4), ['a4']);
});

test('audits behind an exclusive one continue if its client disconnects', async () => {
  const { admitted, enter } = createRunning(2);
  await enter('a');
  const leaving = new AbortController();
  enter('alone', { exclusive: true }, leaving.signal).catch(() => {});
  void enter('b');
  await settled();
  leaving.abort(new Error('gone'));
  await settled();
  assert.deepEqual(admitted, ['a', 'b']);
});

test('a re-audit waits for a running exclusive audit, but not for a queued one', async () => {
  const { queue, admitted, enter, release } = createRunning(2);
  await enter('a');
  void enter('alone', { exclusive: true });
  const first = await queue.enterFirst(connected());
  await release('a');
  assert.deepEqual(admitted, ['a']);
  first.release();
  await settled();
  assert.deepEqual(admitted, ['a', 'alone']);
  let isIn = false;
  const later = queue.enterFirst(connected()).then(slot => {
    isIn = true;
    return slot;
  });
  await settled();
  assert.equal(isIn, false);
  await release('alone');
  (await later).release();
});

test('an exclusive audit is always alone, and no audit waits forever', async () => {
  const step = fc.record({ exclusive: fc.boolean(), client: fc.constantFrom('a', 'b'), leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 1, max: 3 }), async (steps, slots) => {
      const queue = createAuditQueue(slots, 50);
      const running = new Set<{ exclusive: boolean; slot: AuditSlot }>();
      let waiting = 0;
      for (const { exclusive, client, leaves } of steps) {
        const leaving = new AbortController();
        waiting += 1;
        queue.enter(leaving.signal, { exclusive, client }).then(
          slot => {
            waiting -= 1;
            running.add({ exclusive, slot });
            assert.ok(running.size <= slots);
            assert.ok(running.size === 1 || ![...running].some(audit => audit.exclusive));
          },
          () => {
            waiting -= 1;
          },
        );
        if (leaves) leaving.abort(new Error('gone'));
        await settled();
      }
      while (waiting > 0 || running.size > 0) {
        const [audit] = running;
        assert.ok(audit, 'somebody waits and nobody runs');
        running.delete(audit);
        audit.slot.release();
        await settled();
      }
      assert.deepEqual([queue.running, queue.queued], [0, 0]);
    }),
    { numRuns: 50 },
  );
});
