import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { noonMs } from '../../../test/support/builders/entry.ts';
import { packLhr, toScored } from '../../../test/support/builders/kept-side.ts';
import { buildLhr } from '../../../test/support/builders/lhr.ts';
import type { KeptOrder } from '../../explain/change/compare-stored-sides.ts';
import { defaultSmallestEffects } from '../../explain/statistics/smallest-effect.ts';
import { openResultStore } from '../../storage/results/open-store.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import type { NewEntry } from '../../storage/results/store.ts';
import { createCompareKept } from './compare-stored.ts';

const wanted = {
  before: 'v1',
  after: 'v2',
  url: null,
  strategy: null,
  source: null,
  smallestEffects: defaultSmallestEffects,
};

const noAudit = () => assert.fail('audited a load again');
/** A service with the same version of Lighthouse as all entries. */
const same = {
  local: { adopt: noAudit, readFacts: noAudit, reAudit: noAudit, release: noAudit },
  lighthouseVersion: '13.5.0',
};

/** Returns the order that the thread receives. */
async function toOrder(t: TestContext, entries: readonly NewEntry[]): Promise<KeptOrder> {
  const store = await openResultStore({});
  t.after(() => store.close());
  for (const entry of entries) await store.keep(entry);
  let given: KeptOrder | undefined;
  const threads = {
    async compareKept(order: KeptOrder) {
      given = order;
      return new Uint8Array();
    },
  };
  await createCompareKept({ threads, ...same })(store, wanted, { client: 'one', signal: new AbortController().signal });
  assert.ok(given);
  return given;
}

const full = packLhr(buildLhr());
const runsOf = (count: number, given: Partial<NewEntry>) =>
  toScored(
    Array.from({ length: count }, (_, at) => 90 + (at % 2)),
    given,
  );
/** Creates earlier requests with three runs each. */
const groups = (count: number, given: Partial<NewEntry> = {}) =>
  Array.from({ length: count }, () => {
    const groupId = createResultId(noonMs);
    return runsOf(3, { kind: 'run', groupId, ...given });
  });

test('one full result of each side is read: that of the run closest to its medians', async t => {
  const scores = toScored([50, 90, 99], { label: 'v1', full });
  const { before, after } = await toOrder(t, [...scores, ...runsOf(5, { label: 'v2', full })]);
  assert.equal(before.shown.id, scores[1]?.id);
  assert.ok(before.shown.full && after.shown.full);
  assert.deepEqual([before.summaries.length, after.summaries.length], [3, 5]);
});

test('if the closest run has no full result, the next one is read; if none has, none is read', async t => {
  const [far, near] = toScored([80, 90, 90], { label: 'v1', full: null }).slice(0, 2);
  const third = toScored([91], { label: 'v1', full });
  const without = runsOf(2, { label: 'v2', full: null });
  const { before, after } = await toOrder(
    t,
    [far, near, ...third, ...without].filter(entry => entry !== undefined),
  );
  assert.equal(before.shown.id, third[0]?.id);
  assert.equal(after.shown.full, null);
  assert.ok(without.some(({ id }) => id === after.shown.id));
});

test('at most ten summaries of a side are read', async t => {
  const { before } = await toOrder(t, [...runsOf(30, { label: 'v1' }), ...runsOf(1, { label: 'v2' })]);
  assert.deepEqual([before.entries.length, before.summaries.length], [30, 10]);
});

test('few runs are compared with earlier ones of the page with the same settings, one set for each request', async t => {
  const alike = groups(4);
  const unlike = [
    ...groups(1, { profile: 'psi' }),
    ...groups(1, { strategy: 'desktop' }),
    ...groups(1, { url: 'https://example.com/other' }),
  ];
  const singles = runsOf(3, {});
  const [before, after] = [groups(1, { label: 'v1' }), groups(1, { label: 'v2' })];
  const { earlier } = await toOrder(t, [...alike, ...unlike, ...before, ...after].flat().concat(singles));
  const idsOf = (sets: readonly (readonly object[])[]) =>
    sets
      .map(set =>
        set
          .map(run => (run as NewEntry).id)
          .sort()
          .join(),
      )
      .sort();
  assert.deepEqual(idsOf(earlier), idsOf(alike));
});

test('sides with enough runs, or with different settings, need no earlier runs', async t => {
  const enough = [...runsOf(5, { label: 'v1' }), ...runsOf(5, { label: 'v2' })];
  assert.deepEqual((await toOrder(t, [...enough, ...groups(3).flat()])).earlier, []);
  const unlike = [...runsOf(2, { label: 'v1' }), ...runsOf(2, { label: 'v2', profile: 'psi' })];
  assert.deepEqual((await toOrder(t, [...unlike, ...groups(3).flat()])).earlier, []);
});

test('a comparison whose client disconnected while queued reads nothing', async t => {
  const store = await openResultStore({});
  t.after(() => store.close());
  const compareKept = createCompareKept({ threads: { compareKept: () => assert.fail('reached the thread') }, ...same });
  const reason = new Error('disconnected');
  await assert.rejects(compareKept(store, wanted, { client: 'one', signal: AbortSignal.abort(reason) }), reason);
});
