import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry } from '../../../../test/support/builders/entry.ts';
import { buildFacts } from '../../../../test/support/builders/load-facts.ts';
import type { FilePlace } from '../../../contract/result/load-facts.ts';
import { defaultSmallestEffects } from '../../statistics/smallest-effect.ts';
import { judgeAlike } from './judge-alike.ts';

/** Loads with these largest paints, and a picture of so many bytes. */
const toLoads = (paintsMs: readonly number[], heroBytes: number, place: FilePlace = 'largest') =>
  paintsMs.map(value => ({
    entry: { ...buildEntry(), full: null },
    audited: { 'largest-contentful-paint': { score: 0.5, value } },
    facts: buildFacts({ 'hero.png': { bytes: heroBytes, resourceBytes: heroBytes, place } }),
    cpuFactor: 1,
  }));
const judge = (before: readonly number[], after: readonly number[], heroBytes = 20_000) =>
  judgeAlike({ before: toLoads(before, 20_000), after: toLoads(after, heroBytes) }, { falseAlarms: 0.02 }).compared
    .verdict.status;

const [slow, fast] = [
  [3000, 3010, 3020],
  [1000, 1010, 1020],
];

test('three runs decide only if the files changed in the same direction', () => {
  assert.equal(judge(fast, slow), 'undecided');
  assert.equal(judge(fast, slow, 400_000), 'worse');
  assert.equal(judge(slow, fast, 400_000), 'undecided');
  assert.equal(judge(fast, slow, 22_000), 'undecided');
});

test('bytes that no load got before its paint are no evidence', () => {
  const late = { before: toLoads(fast, 20_000, 'after'), after: toLoads(slow, 400_000, 'after') };
  assert.equal(judgeAlike(late, { falseAlarms: 0.02 }).compared.verdict.status, 'undecided');
});

test('a redirect is evidence without bytes', () => {
  const [before, after] = [toLoads([...fast, 1030, 1040], 20_000), toLoads([1090, 1100, 1110, 1120, 1130], 20_000)];
  const redirected = after.map(load => ({
    ...load,
    facts: buildFacts({ '': { type: 'Document', requests: 2, bytes: 20_100, place: 'first' } }),
  }));
  const statusOf = (of: typeof after) =>
    judgeAlike({ before, after: of }, { falseAlarms: 0.02 }).compared.verdict.status;
  assert.deepEqual([statusOf(after), statusOf(redirected)], ['undecided', 'worse']);
});

test('five runs decide on their own, and two only with a file that explains a large difference', () => {
  assert.equal(judge([...fast, 1030, 1040], [...slow, 3030, 3040]), 'worse');
  const two = fast.slice(1);
  assert.equal(judge(two, slow.slice(1), 400_000), 'worse');
  assert.equal(judge(two, slow.slice(1)), 'undecided');
  assert.equal(judge(slow.slice(1), two, 400_000), 'undecided', 'the picture grew, and the paint is earlier');
  assert.equal(
    judge(
      two,
      two.map(value => value + 300),
      400_000,
    ),
    'undecided',
  );
});

test('a file that changed without an effect is no difference', () => {
  assert.equal(judge(fast, fast, 400_000), 'no_difference');
});

test('without a changed file, or against it, a small change of a time stays undecided, and a large one does not', () => {
  const [before, little, much] = [0, 70, 400].map(more => [...fast, 1030, 1040].map(value => value + more)) as [
    number[],
    number[],
    number[],
  ];
  assert.equal(judge(before, little), 'undecided');
  assert.equal(judge(before, little, 400_000), 'worse');
  assert.equal(judge(little, before, 400_000), 'undecided', 'the picture grew, and the paint is earlier');
  assert.equal(judge(much, before, 400_000), 'better');
  assert.equal(judge(before, much), 'worse');
  assert.equal(judge(much, before), 'better');
});

test('without a changed file, an interval of a time may reach twice the usual smallest effect', () => {
  const before = [1000, 1005, 1010, 1015, 1020];
  const wide = [940, 945, 1010, 1090, 1095];
  const apart = before.map(value => value + 70);
  assert.equal(judge(before, wide), 'no_difference');
  assert.equal(judge(before, wide, 400_000), 'undecided');
  assert.equal(judge(before, apart), 'undecided', 'the difference itself is larger');
  const chosen = judgeAlike(
    { before: toLoads(before, 20_000), after: toLoads(wide, 20_000) },
    { falseAlarms: 0.02, smallestEffects: { ...defaultSmallestEffects, time: { absolute: 40 } } },
  );
  assert.equal(chosen.compared.verdict.status, 'undecided', 'the user chose the smallest effect');
});

test('one load of five that is far off does not prevent no difference, and two do', () => {
  const before = [1000, 1005, 1010, 1015, 1020];
  assert.equal(judge(before, [1000, 1005, 1010, 1015, 3000]), 'no_difference');
  assert.equal(judge(before, [1000, 1005, 1010, 3000, 3000]), 'undecided');
});

test('measures that contradict each other follow the files, unless the score decides', () => {
  const mixed = (fcp: number, tbt: number, score: number, heroBytes: number) =>
    toLoads([1000, 1001, 1002, 1003, 1004], heroBytes).map((load, at) => ({
      ...load,
      audited: {
        performance: { score: score / 100, value: null },
        'first-contentful-paint': { score: 0.5, value: fcp + at },
        'total-blocking-time': { score: 0.5, value: tbt + at },
      },
    }));
  const judged = (after: ReturnType<typeof mixed>) =>
    judgeAlike({ before: mixed(1000, 300, 80, 20_000), after }, { falseAlarms: 0.02 }).compared.verdict;
  const { status, decided_by, against } = judged(mixed(2000, 100, 80, 400_000));
  assert.deepEqual([status, decided_by, against], ['worse', ['first_contentful_paint'], ['total_blocking_time']]);
  assert.equal(judged(mixed(2000, 100, 90, 400_000)).status, 'better');
  assert.equal(judged(mixed(2000, 100, 80, 20_000)).status, 'no_difference', 'no file changed');
});

test('each of two looks has half of the relaxed rate, which three runs cannot reach', () => {
  const looked = judgeAlike({ before: toLoads(fast, 20_000), after: toLoads(slow, 400_000) }, { falseAlarms: 0.01 });
  assert.equal(looked.compared.verdict.status, 'undecided');
});
