/** Tests rules that hold after every step of random sequences. */
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { AnalysisError } from '../../contract/errors.ts';
import { type AuditQueue, type AuditSlot, createAuditQueue } from './audit-queue.ts';

type Step =
  | { do: 'enter'; client: string }
  | { do: 'enterFirst' }
  /** Cancels one of all entries so far: queued, running or ended. */
  | { do: 'cancel'; at: number }
  | { do: 'release'; at: number }
  /** Lets pending callbacks run: otherwise, several steps run in one turn of the event loop. */
  | { do: 'settle' };

type Entry = {
  client: string;
  isFirst: boolean;
  cancel: AbortController;
  position: number | undefined;
  slot: AuditSlot | undefined;
  isReleased: boolean;
  error: unknown;
};

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('enter' as const), client: fc.constantFrom('a', 'a', 'a', 'b', 'b', 'c') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('enterFirst' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), at: fc.nat(1000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('release' as const), at: fc.nat(1000) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
);
const anyStory = fc.record({
  slots: fc.integer({ min: 1, max: 3 }),
  limit: fc.integer({ min: 0, max: 6 }),
  steps: fc.array(anyStep, { maxLength: 60 }),
});
type Story = { slots: number; limit: number; steps: Step[] };

const settle = () => new Promise(setImmediate);
const isQueued = ({ slot, error, isFirst }: Entry) => !isFirst && slot === undefined && error === undefined;
const holdsSlot = ({ slot, isReleased }: Entry) => slot !== undefined && !isReleased;

function enter(queue: AuditQueue, entries: Entry[], client: string | undefined): void {
  const cancel = new AbortController();
  const entry: Entry = {
    client: client ?? '',
    isFirst: client === undefined,
    cancel,
    position: undefined,
    slot: undefined,
    isReleased: false,
    error: undefined,
  };
  entries.push(entry);
  const onPosition = (position: number) => {
    entry.position = position;
  };
  const entered =
    client === undefined ? queue.enterFirst(cancel.signal) : queue.enter(cancel.signal, { client, onPosition });
  entered.then(
    slot => {
      entry.slot = slot;
    },
    error => {
      entry.error = error;
    },
  );
}

const release = (entry: Entry | undefined) => {
  if (entry) entry.isReleased = true;
  entry?.slot?.release();
};

const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % (items.length || 1)];

const steps = {
  enter: (queue: AuditQueue, entries: Entry[], step: Step) =>
    enter(queue, entries, 'client' in step ? step.client : ''),
  enterFirst: (queue: AuditQueue, entries: Entry[]) => enter(queue, entries, undefined),
  cancel: (_queue: AuditQueue, entries: Entry[], step: Step) =>
    pick(entries, 'at' in step ? step.at : 0)?.cancel.abort(new Error('cancelled')),
  release: (_queue: AuditQueue, entries: Entry[], step: Step) =>
    release(pick(entries.filter(holdsSlot), 'at' in step ? step.at : 0)),
  settle,
} as const;

/** Asserts the rules that hold whenever no callback is pending. */
function assertRules(queue: AuditQueue, { slots, limit }: Story, entries: readonly Entry[]): void {
  const queued = entries.filter(isQueued);
  assert.ok(queue.running <= slots, 'no more run than there are slots');
  assert.ok(queue.queued <= limit, 'the queue is bounded');
  assert.equal(queue.running, entries.filter(holdsSlot).length, 'no slot is lost, and none is given twice');
  assert.equal(queue.queued, queued.length, 'all others are answered');
  if (queued.length > 0) assert.equal(queue.running, slots, 'none waits while a slot is free');
  const positions = queued.map(({ position }) => position ?? 0).toSorted((a, b) => a - b);
  assert.deepEqual(
    positions,
    queued.map((_, index) => index + 1),
    'every position is told to one',
  );
  for (const { cancel, slot, error } of entries)
    if (slot || error) assert.equal(getEventListeners(cancel.signal, 'abort').length, 0, 'nobody listens any more');
}

async function play(story: Story, see: (queue: AuditQueue, entries: Entry[]) => void = () => {}) {
  const queue = createAuditQueue(story.slots, story.limit);
  const entries: Entry[] = [];
  for (const step of story.steps) {
    await steps[step.do](queue, entries, step);
    if (step.do !== 'settle') continue;
    assertRules(queue, story, entries);
    see(queue, entries);
  }
  await settle();
  assertRules(queue, story, entries);
  return { queue, entries };
}

/** Releases running audits one after the other. @returns the entries that got a slot, in order */
async function drain(entries: readonly Entry[]): Promise<Entry[]> {
  const admitted: Entry[] = [];
  for (;;) {
    const before = new Set(entries.filter(holdsSlot));
    const [running] = before;
    if (!running) return admitted;
    release(running);
    await settle();
    admitted.push(...entries.filter(entry => holdsSlot(entry) && !before.has(entry)));
  }
}

const check = (rule: (story: Story) => Promise<void>) => fc.assert(fc.asyncProperty(anyStory, rule), { numRuns: 150 });

test('property: no slot is lost whenever a client cancels, and the queue stays bounded', () =>
  check(async story => {
    const { queue, entries } = await play(story);
    for (const { cancel } of entries) cancel.abort(new Error('cancelled'));
    await settle();
    for (const entry of entries.filter(holdsSlot)) release(entry);
    assert.deepEqual([queue.running, queue.queued], [0, 0]);
    await queue.close(0);
  }));

test('property: a reported position comes true if nothing else happens', () =>
  check(async story => {
    const { entries } = await play(story);
    const told = entries.filter(isQueued).toSorted((a, b) => (a.position ?? 0) - (b.position ?? 0));
    const admitted = await drain(entries);
    assert.deepEqual(
      admitted.filter(({ isFirst }) => !isFirst).map(entry => told.indexOf(entry)),
      told.map((_, index) => index),
    );
    const firsts = admitted.filter(({ isFirst }) => isFirst).length;
    assert.ok(
      admitted.slice(0, firsts).every(({ isFirst }) => isFirst),
      'what goes first does',
    );
  }));

test("property: of one client's audits, the first is admitted first and the last displaced first", () =>
  check(async story => {
    const { entries } = await play(story);
    for (const client of ['a', 'b', 'c']) {
      const own = entries.filter(entry => entry.client === client && isQueued(entry));
      const positions = own.map(({ position }) => position ?? 0);
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      );
    }
  }));

test('property: no client is rejected with fewer queued audits than another, nor displaced below another', () =>
  check(async story => {
    const queue = createAuditQueue(story.slots, story.limit);
    const entries: Entry[] = [];
    const countOf = (client: string) => entries.filter(entry => entry.client === client && isQueued(entry)).length;
    for (const step of story.steps) {
      const queuedBefore = entries.filter(isQueued);
      const most = Math.max(countOf('a'), countOf('b'), countOf('c'));
      await steps[step.do](queue, entries, step);
      await settle();
      if (step.do !== 'enter') continue;
      const entry = entries.at(-1);
      if (entry?.error) assert.ok(countOf(step.client) + 1 >= most, 'refused though another has more');
      const displaced = queuedBefore.filter(({ error }) => error !== undefined);
      assert.ok(displaced.length <= 1);
      for (const { client, error } of displaced) {
        assert.ok(error instanceof AnalysisError && error.code === 'queue_full' && (error.retryAfterSeconds ?? 0) > 0);
        assert.ok(countOf(client) >= countOf(step.client), 'it keeps its share');
      }
    }
  }));

test('property: closing rejects all queued and later audits at any moment, and stops no running one', () =>
  check(async story => {
    const { queue, entries } = await play(story);
    const queued = entries.filter(entry => entry.slot === undefined && entry.error === undefined);
    const running = entries.filter(holdsSlot);
    const closed = queue.close(60_000);
    await settle();
    for (const { error } of queued) assert.ok(error instanceof AnalysisError && error.code === 'shutting_down');
    assert.deepEqual([queue.queued, queue.running], [0, running.length]);
    for (const client of ['a', undefined]) {
      enter(queue, entries, client);
      await settle();
      assert.equal((entries.at(-1)?.error as AnalysisError | undefined)?.code, 'shutting_down');
    }
    for (const entry of running) release(entry);
    await closed;
    assert.equal(queue.running, 0);
  }));
