import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createFairQueue, type Queued } from './fair-queue.ts';

type FairQueue<Item extends Queued> = ReturnType<typeof createFairQueue<Item>>;

type Item = Queued & { readonly name: string };
type Queue = FairQueue<Item>;

/** `a2` is the second of client a. */
const item = (name: string): Item => ({ name, client: name.slice(0, 1), rank: Number(name.slice(1)) });

const queueOf = (...names: readonly string[]): Queue => {
  const queue = createFairQueue<Item>();
  for (const name of names) queue.add(item(name));
  return queue;
};

const drain = (queue: Queue): string[] => {
  const taken: string[] = [];
  for (let next = queue.take(); next; next = queue.take()) taken.push(next.name);
  return taken;
};

const countsOf = (items: readonly Item[]) => Object.groupBy(items, ({ client }) => client);

test('clients take turns, however many each has', () => {
  assert.deepEqual(drain(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2')), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('a client with one request is at most second, however many requests another client has', () => {
  const queue = queueOf(...Array.from({ length: 50 }, (_, index) => `a${index}`), 'b0');
  assert.deepEqual(drain(queue).slice(0, 3), ['a0', 'b0', 'a1']);
});

test('a client that has had a turn comes after all others, even with a new request', () => {
  const queue = queueOf('a1', 'b1', 'b2', 'c1');
  assert.equal(queue.take()?.name, 'a1');
  queue.add(item('a2'));
  assert.deepEqual(drain(queue), ['b1', 'c1', 'a2', 'b2']);
});

test('for one client, the lower rank comes first, even if it is added later', () => {
  const queue = queueOf('a2', 'a4', 'a1', 'a3');
  assert.equal(queue.take()?.name, 'a1');
  queue.add(item('a1'));
  assert.deepEqual(drain(queue), ['a1', 'a2', 'a3', 'a4']);
});

test('a removed item is gone, and can be removed only once', () => {
  const queue = queueOf('a1', 'b1');
  const second = item('a2');
  queue.add(second);
  assert.deepEqual(
    [queue.remove(second), queue.remove(second), queue.remove(item('x1')), queue.size],
    [true, false, false, 2],
  );
  assert.deepEqual(drain(queue), ['a1', 'b1']);
  assert.deepEqual([queue.size, queue.take(), queue.inOrder()], [0, undefined, []]);
});

test('the last item of the client with the most makes room for a client with fewer', () => {
  const queue = queueOf('a1', 'a2', 'a3', 'b1', 'b2', 'c1');
  assert.equal(queue.displacedBy('d')?.name, 'a3');
  assert.equal(queue.displacedBy('c')?.name, 'a3');
  assert.equal(queue.displacedBy('b'), undefined, 'b would have more than a then');
  assert.equal(queue.displacedBy('a'), undefined);
  assert.equal(queueOf('a1').displacedBy('b'), undefined, 'one each');
  assert.equal(queueOf().displacedBy('b'), undefined);
});

type Step = { do: 'add'; client: string } | { do: 'take' } | { do: 'remove'; at: number };

const client = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('add' as const), client }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at: fc.nat(1000) }) },
);

/** Carries out the steps; `see` looks at the queue after each. */
function play(steps: readonly Step[], see: (queue: Queue, taken: Item | undefined) => void = () => {}): Queue {
  const queue = createFairQueue<Item>();
  for (const [rank, step] of steps.entries()) {
    let taken: Item | undefined;
    if (step.do === 'add') queue.add({ client: step.client, rank, name: `${step.client}${rank}` });
    if (step.do === 'take') taken = queue.take();
    const [removed] = queue.inOrder().slice(step.do === 'remove' ? step.at % (queue.size || 1) : queue.size);
    if (removed) queue.remove(removed);
    see(queue, taken);
  }
  return queue;
}

const anySteps = fc.array(anyStep, { maxLength: 80 });
const check = (property: fc.IProperty<[Step[]]>) => fc.assert(property, { numRuns: 300 });

test('property: the reported order is the order in which items are taken', () => {
  check(
    fc.property(anySteps, steps => {
      const queue = play(steps);
      const told = queue.inOrder().map(({ name }) => name);
      assert.equal(told.length, queue.size);
      assert.deepEqual(drain(queue), told);
    }),
  );
});

test('property: a new item has the position that was reported for it', () => {
  check(
    fc.property(anySteps, steps => {
      const queue = play(steps);
      for (const name of ['a', 'c', 'z']) {
        const position = queue.positionAfter(name);
        const one: Item = { client: name, rank: steps.length, name };
        queue.add(one);
        assert.equal(queue.inOrder().indexOf(one) + 1, position);
        queue.remove(one);
      }
    }),
  );
});

test('property: first in, first out within a client', () => {
  check(
    fc.property(anySteps, steps => {
      const last = new Map<string, number>();
      play(steps, (_queue, taken) => {
        if (!taken) return;
        assert.ok((last.get(taken.client) ?? -1) < taken.rank);
        last.set(taken.client, taken.rank);
      });
    }),
  );
});

const clientsOf = (items: readonly Item[]): string[] => items.map(({ client: name }) => name);

test('property: between two turns of a client, every other waiting client has exactly one', () => {
  check(
    fc.property(anySteps, steps => {
      const order = clientsOf(play(steps).inOrder());
      for (const [at, own] of order.entries()) {
        const next = order.indexOf(own, at + 1);
        if (next < 0) continue;
        const others = new Set(order.slice(at + 1).filter(other => other !== own));
        assert.deepEqual(order.slice(at + 1, next).toSorted(), [...others].toSorted());
      }
    }),
  );
});

test('property: no client starves, whatever comes later: each of five has a turn within five', () => {
  check(
    fc.property(anySteps, steps => {
      /** By client that waits: how many others were taken since. */
      let passed = new Map<string, number>();
      play(steps, (queue, taken) => {
        const waiting = new Set(clientsOf(queue.inOrder()));
        const after = (name: string) => (taken?.client === name ? 0 : (passed.get(name) ?? 0) + (taken ? 1 : 0));
        passed = new Map([...waiting].map(name => [name, after(name)]));
        for (const [name, takes] of passed) assert.ok(takes < 5, name);
      });
    }),
  );
});

test('property: a client that makes room keeps at least as many items as the one it makes room for', () => {
  check(
    fc.property(anySteps, steps => {
      const queue = play(steps);
      const counts = countsOf(queue.inOrder());
      const most = Math.max(0, ...Object.values(counts).map(items => items?.length ?? 0));
      for (const name of ['a', 'b', 'z']) {
        const own = counts[name]?.length ?? 0;
        const displaced = queue.displacedBy(name);
        assert.equal(displaced !== undefined, own + 1 <= most - 1);
        if (!displaced) continue;
        const items = counts[displaced.client] ?? [];
        assert.deepEqual([items.length, items.at(-1)], [most, displaced], 'the last of the client with the most');
      }
    }),
  );
});

test('a page of a batch comes after every single page, even of the same client', () => {
  const queue = createFairQueue<Item>();
  for (const name of ['a1', 'a2', 'b1']) queue.add({ ...item(name), isBatch: true });
  for (const name of ['a3', 'c1']) queue.add(item(name));
  assert.deepEqual([queue.positionAfter('d'), queue.positionAfter('d', true)], [3, 5]);
  assert.equal(queue.displacedBy('d')?.name, 'a2');
  assert.deepEqual(drain(queue), ['a3', 'c1', 'a1', 'b1', 'a2']);
});

test('a page of a list displaces no single request of another client', () => {
  const queue = createFairQueue<{ client: string; rank: number; isBatch?: boolean }>();
  for (const rank of [0, 1, 2]) queue.add({ client: 'y', rank });
  assert.equal(queue.displacedBy('x', true), undefined);
  assert.equal(queue.displacedBy('x')?.rank, 2, 'a single request does');
  for (const rank of [0, 1]) queue.add({ client: 'z', rank, isBatch: true });
  assert.equal(queue.displacedBy('x', true)?.client, 'z');
});
