import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { buildEntry, buildFailure, noonMs } from '../../../test/support/builders/entry.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { openResultStore } from '../../storage/results/open-store.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import type { NewEntry, ResultStore } from '../../storage/results/store.ts';
import { areUploadAndPage, findSides, type SidesWanted, UnclearSideError } from './find-sides.ts';

async function openWith(t: TestContext, entries: readonly NewEntry[]) {
  const store = await openResultStore({});
  t.after(() => store.close());
  for (const entry of entries) assert.deepEqual(await store.keep(entry), { kept: true });
  const find = (given: Partial<SidesWanted>, from: ResultStore = store) =>
    findSides(from, { before: 'v1', after: 'v2', url: null, strategy: null, source: null, ...given });
  const idsOf = async (given: Partial<SidesWanted>) =>
    (await find(given)).map(({ entries: found }) => found.map(({ id }) => id));
  return { store, find, idsOf };
}

const [page, other] = ['https://example.com/', 'https://example.com/other'];
const labelled = (label: string, given: Partial<NewEntry> = {}) => buildEntry({ label, ...given });
const idOf = ({ id }: NewEntry): string => id;

test('an id selects the runs of its request, whichever of them it names', async t => {
  const groupId = createResultId(noonMs);
  const runs = [0, 1, 2].map(at =>
    buildEntry({ kind: at === 1 ? 'result' : 'run', groupId, measuredAtMs: noonMs + at }),
  );
  const single = buildEntry({});
  const { find, idsOf } = await openWith(t, [...runs, single]);
  const expected = runs.map(idOf).reverse();
  for (const { id } of runs) assert.deepEqual(await idsOf({ before: id, after: single.id }), [expected, [single.id]]);
  const [before] = await find({ before: single.id, after: single.id });
  assert.deepEqual([before.asked, before.by], [single.id, 'id']);
});

test('a label selects all its results and runs of one page, newest first', async t => {
  const groupId = createResultId(noonMs);
  const one = labelled('v1');
  const two = labelled('v1', { kind: 'run', groupId, measuredAtMs: noonMs + 1 });
  const failure = buildFailure({ label: 'v1' });
  const after = labelled('v2');
  const { idsOf } = await openWith(t, [one, two, failure, after]);
  assert.deepEqual(await idsOf({}), [[two.id, one.id], [after.id]]);
});

test('the only page that two labels share is used; if they share several, a client must name one', async t => {
  const entries = [labelled('v1'), labelled('v1', { url: other }), labelled('v2', { url: other })];
  const { idsOf } = await openWith(t, entries);
  assert.deepEqual(await idsOf({}), [[entries[1]?.id], [entries[2]?.id]]);

  const both = [...entries, labelled('v2')].map(entry => ({ ...entry, id: createResultId(noonMs) }));
  const { find, idsOf: idsOfBoth } = await openWith(t, both);
  await assert.rejects(find({}), (error: UnclearSideError) => {
    assert.ok(error instanceof UnclearSideError);
    assert.deepEqual([error.parameter, error.message], ['url', 'the results belong to 2 pages: select one']);
    return true;
  });
  assert.deepEqual(await idsOfBoth({ url: page }), [[both[0]?.id], [both[3]?.id]]);
});

test('labels of two different pages are compared, and the answer says that the pages differ', async t => {
  const entries = [labelled('v1'), labelled('v2', { url: other })] as const;
  const { find } = await openWith(t, entries);
  const sides = await find({});
  assert.deepEqual(
    sides.map(side => side.entries.map(({ url }) => url)),
    [[page], [other]],
  );
});

test('an id determines the page, source and strategy of a label', async t => {
  const given = { url: other, source: 'psi', strategy: 'desktop' } as const;
  const entries = [
    labelled('v1'),
    labelled('v1', given),
    labelled('v1', { ...given, strategy: 'mobile' }),
    labelled('v1', { ...given, source: 'lighthouse' }),
  ];
  const after = buildEntry(given);
  const { idsOf } = await openWith(t, [...entries, after]);
  assert.deepEqual(await idsOf({ after: after.id }), [[entries[1]?.id], [after.id]]);
});

test('local and mobile results are the default if there are several sources and strategies', async t => {
  const kinds = (['lighthouse', 'psi'] as const).flatMap(source =>
    (['mobile', 'desktop'] as const).map(strategy => ({ source, strategy })),
  );
  const [before, after] = ['v1', 'v2'].map(label => kinds.map(kind => labelled(label, kind))) as [
    NewEntry[],
    NewEntry[],
  ];
  const { idsOf } = await openWith(t, [...before, ...after]);
  assert.deepEqual(await idsOf({}), [[before[0]?.id], [after[0]?.id]]);
  assert.deepEqual(await idsOf({ strategy: 'desktop', source: 'psi' }), [[before[3]?.id], [after[3]?.id]]);
});

test('sides without a common strategy are compared anyway', async t => {
  const { find } = await openWith(t, [labelled('v1', { strategy: 'desktop' }), labelled('v2')]);
  assert.deepEqual(
    (await find({})).map(({ entries }) => entries[0]?.strategy),
    ['desktop', 'mobile'],
  );
});

test('an id or label without results is not found, nor is one of another page', async t => {
  const { find } = await openWith(t, [labelled('v1'), labelled('v2')]);
  for (const given of [{ before: 'v3' }, { after: createResultId(noonMs) }, { url: other }, { before: "' OR 1=1 --" }])
    await assert.rejects(find(given), (error: AnalysisError) => {
      assert.ok(error instanceof AnalysisError);
      return error.code === 'result_not_found';
    });
});

test('a failure or a comparison has no values to compare', async t => {
  const [failure, comparison] = [buildFailure({}), buildEntry({ kind: 'comparison', source: 'compare' })];
  const { find } = await openWith(t, [failure, comparison, labelled('v2')]);
  for (const { id } of [failure, comparison])
    await assert.rejects(find({ before: id }), (error: UnclearSideError) => error.parameter === 'before');
});

test('only the newest hundred results of a label are compared', async t => {
  const entries = Array.from({ length: 130 }, (_, at) => labelled('v1', { measuredAtMs: noonMs + at }));
  const { find } = await openWith(t, [...entries, labelled('v2')]);
  const [before] = await find({});
  assert.deepEqual([before.entries.length, before.entries[0]?.id], [100, entries.at(-1)?.id]);
});

test('a measurement that a PSI server returned twice is one run', async t => {
  const twice = [0, 1].map(() => labelled('v1', { source: 'psi' }));
  const { find } = await openWith(t, [
    ...twice,
    labelled('v1', { source: 'psi', measuredAtMs: noonMs + 1 }),
    labelled('v2', { source: 'psi' }),
  ]);
  const [before] = await find({});
  assert.deepEqual(
    before.entries.map(({ measuredAtMs }) => measuredAtMs - noonMs),
    [1, 0],
  );
});

test('a new result is compared with the other runs of its label, not with itself', async t => {
  const earlier = [0, 1].map(at => labelled('main', { measuredAtMs: noonMs + at }));
  const groupId = createResultId(noonMs);
  const now = [0, 1].map(at =>
    labelled('main', { kind: at === 0 ? 'result' : 'run', groupId, measuredAtMs: noonMs + 9 + at }),
  );
  const { idsOf } = await openWith(t, [...earlier, ...now]);
  const [before, after] = await idsOf({ before: 'main', after: now[0]?.id ?? '' });
  assert.deepEqual(before, earlier.map(idOf).reverse());
  assert.deepEqual(after?.toSorted(), now.map(idOf).toSorted());
});

test('a label without other runs is compared with its own runs, and a result with itself', async t => {
  const only = labelled('main');
  const { idsOf } = await openWith(t, [only]);
  assert.deepEqual(await idsOf({ before: 'main', after: only.id }), [[only.id], [only.id]]);
  assert.deepEqual(await idsOf({ before: only.id, after: only.id }), [[only.id], [only.id]]);
});

test('a request whose runs another client removes in the meantime is not found', async t => {
  const groupId = createResultId(noonMs);
  const runs = ['result', 'run'].map(kind => buildEntry({ kind: kind as NewEntry['kind'], groupId }));
  const { store, find } = await openWith(t, [...runs, labelled('v2')]);
  const [first = ''] = runs.map(idOf);
  const forgetful: Pick<ResultStore, 'get'> = {
    async get(id) {
      const found = await store.get(id);
      await store.forgetUrl(page);
      return found;
    },
  };
  await assert.rejects(
    find({ before: first }, { ...store, ...forgetful }),
    ({ code }: AnalysisError) => code === 'result_not_found',
  );
});

test("a build uploaded without the page's port matches it; a local result with another port does not", async t => {
  const url = 'http://localhost:3000/';
  const analyser = { ...buildEntry().analyser, kind: 'uploaded' };
  const uploaded = labelled('v1', { url: 'http://localhost/', analyser });
  const own = labelled('v2', { url });
  const { find } = await openWith(t, [uploaded, own, labelled('v3', { url: 'http://localhost/' })]);
  const sides = await find({ url });
  assert.deepEqual(
    sides.map(({ entries }) => entries.map(({ id }) => id)),
    [[uploaded.id], [own.id]],
  );
  assert.equal(areUploadAndPage([sides[0], sides[1]]), true);
  await assert.rejects(find({ before: 'v3', url }), ({ code }: AnalysisError) => code === 'result_not_found');
});

const scored = (values: readonly number[], given: (at: number) => Partial<NewEntry> = () => ({})): NewEntry[] =>
  values.map((performance, at) => {
    const { scores, ...entry } = buildEntry({ measuredAtMs: noonMs + 1000 * at });
    return { ...entry, scores: { ...scores, performance }, ...given(at) };
  });
/** Finds the sides, and returns the places of their other results. */
const historyOf = async (t: TestContext, entries: readonly NewEntry[], before: number, after: number) => {
  const { find } = await openWith(t, entries);
  const idAt = (at: number) => entries[at]?.id ?? '';
  const sides = await find({ before: idAt(before), after: idAt(after) });
  return sides.map(({ history }) => history.map(({ id }) => entries.findIndex(entry => entry.id === id)));
};

test('a single result gets the results of its page that were measured before the other side', async t => {
  const entries = scored([99, 98, 99, 99, 100, 66]);
  assert.deepEqual(await historyOf(t, entries, 4, 5), [[3, 2, 1, 0], []]);
  assert.deepEqual(await historyOf(t, entries, 1, 5), [[4, 3, 2, 0], []]);
});

test('results between two others count as the older one only if it has too few before it', async t => {
  const entries = scored([99, 92, 97, 90, 98, 91, 96, 93, 86, 85]);
  assert.deepEqual(await historyOf(t, entries, 7, 9), [[6, 5, 4, 3, 2, 1, 0], []]);
  assert.deepEqual(await historyOf(t, entries, 6, 9), [[8, 7, 5, 4, 3, 2, 1, 0], []]);
});

test('a change of the page between two results gives each its own side', async t => {
  const entries = scored([50, 51, 50, 51, 99, 98, 99, 99, 66, 65, 67, 66]);
  assert.deepEqual(await historyOf(t, entries, 5, 10), [
    [7, 6, 4],
    [11, 9, 8],
  ]);
});

const downTo = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, at) => from - at);
const level = (count: number, value: number) => Array.from({ length: count }, () => value);

test('a result that is far from the others of its page, or earlier than they show, gets none of them', async t => {
  const entries = scored([...level(12, 80), ...level(12, 98), 66]);
  assert.deepEqual(await historyOf(t, entries, 2, 24), [[...downTo(11, 3), 1, 0], []]);
  assert.deepEqual(await historyOf(t, entries, 24, 21), [[], downTo(20, 12)], 'the later result stands first');
  const disturbed = scored([...level(12, 98), 97, 66], at => ({ disturbed: at === 12 }));
  assert.deepEqual(await historyOf(t, disturbed, 12, 13), [[], []]);
  const outlier = scored([...level(22, 98), 60, 98]);
  assert.deepEqual(await historyOf(t, outlier, 22, 23), [[], downTo(21, 0)], 'the newer one is like the others');
});

test('a metric that changed gives each result its own side, even if the score is the same', async t => {
  const { metrics } = buildEntry();
  const entries = scored(level(24, 100), at => ({
    metrics: { ...metrics, largest_contentful_paint: at < 12 ? 700 : 1100 },
  }));
  assert.deepEqual(await historyOf(t, entries, 11, 23), [downTo(10, 0), downTo(22, 12)]);
  assert.deepEqual(await historyOf(t, entries.slice(0, 13), 11, 12), [downTo(10, 0), []]);
});

test('disturbed results, and those with other settings, show no usual spread', async t => {
  const entries = scored([99, 98, 99, 99, 100, 66], at => {
    if (at === 1) return { disturbed: true };
    return at === 2 ? { profile: 'psi' } : {};
  });
  assert.deepEqual(await historyOf(t, entries, 4, 5), [[3, 0], []]);
});

test('a side with three runs needs no other results, and two kinds of results get none', async t => {
  const groupId = createResultId(noonMs);
  const entries = scored([99, 98, 99, 99, 100, 66], at => (at > 2 && at < 5 ? { groupId } : {}));
  const three = [...scored([97]), ...scored([99, 98, 97], () => ({ groupId })), ...scored([66])];
  assert.deepEqual(await historyOf(t, entries, 4, 5), [[2, 1, 0], []]);
  assert.deepEqual(await historyOf(t, three, 1, 4), [[], []]);
  const kinds = scored([99, 98, 99, 66], at => (at === 3 ? { profile: 'psi' } : {}));
  assert.deepEqual(await historyOf(t, kinds, 2, 3), [[], []]);
});
