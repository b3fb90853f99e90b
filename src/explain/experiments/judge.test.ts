import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Random, toRandom } from '../statistics/random.ts';
import { type ExperimentLoad, type ExperimentLoads, judgeExperiment, toOtherMeasures } from './judge.ts';
import { toOrder, toPlan, toShownEffect } from './plan.ts';

const lcp = 'largest_contentful_paint';

const toLoad = (value: number | null, machineId = 'one'): ExperimentLoad => ({
  machineId,
  metrics: {
    performance: 90,
    first_contentful_paint: value,
    largest_contentful_paint: value,
    speed_index: 1000,
    server_response_time: null,
    total_blocking_time: 0,
  },
});

/** @param effects of the arms after the base, milliseconds; the first is the base again */
const toLoads = (blocks: number, effects: readonly number[], noise: (block: number) => number): ExperimentLoads =>
  Array.from({ length: blocks }, (_, block) => [0, ...effects].map(effect => toLoad(2000 + effect + noise(block))));

/** Like the simulated LCP of an unchanged page: small noise, a second mode in one of five loads, a slow load at times. */
function toNoise(random: Random): () => number {
  return () => {
    const jitter = 60 * (random() + random() + random() - 1.5);
    return jitter + (random() < 0.2 ? 350 : 0) + (random() < 0.03 ? 900 * random() : 0);
  };
}

/** Small noise without a second mode. */
const toQuietNoise = (random: Random) => () => 80 * (random() + random() + random() - 1.5);

const blocksOf = (variants: number) => toPlan(variants).blocks;

test('a clear effect is decided at the first look, in its direction', () => {
  const slower = judgeExperiment(
    toLoads(9, [0, 300], block => block),
    1,
    lcp,
  );
  assert.equal(slower.isOver, true);
  assert.equal(slower.variants[0]?.status, 'worse');
  assert.equal(slower.variants[0]?.difference, 300);
  assert.equal(
    judgeExperiment(
      toLoads(9, [0, -300], block => block),
      1,
      lcp,
    ).variants[0]?.status,
    'better',
  );
});

test('nothing is claimed before the first look, however clear the difference', () => {
  const early = judgeExperiment(
    toLoads(8, [0, 900], block => block),
    1,
    lcp,
  );
  assert.equal(early.isOver, false);
  assert.equal(early.variants[0]?.status, 'undecided');
  assert.equal(early.variants[0]?.pairs.length, 8);
});

test('a block that has not ended is not analysed', () => {
  const loads = toLoads(9, [0, 900], block => block).map((block, at) =>
    at === 8 ? [block[0], undefined, block[2]] : block,
  );
  assert.equal(judgeExperiment(loads, 1, lcp).isOver, false);
});

test('an effect below the smallest that matters is no difference', () => {
  const { variants, isOver } = judgeExperiment(
    toLoads(9, [0, 5], block => block),
    1,
    lcp,
  );
  assert.equal(variants[0]?.status, 'no_difference');
  assert.equal(isOver, true);
});

test('no difference is reported with the interval that decided it', () => {
  const random = toRandom([5]);
  const verdicts = Array.from({ length: 60 }, () => {
    const noise = toQuietNoise(random);
    return judgeExperiment(toLoads(blocksOf(1), [0, 0], noise), 1, lcp).variants[0];
  }).filter(verdict => verdict?.status === 'no_difference');
  assert.ok(verdicts.length > 20);
  for (const verdict of verdicts) {
    const [low = 0, high = 0] = verdict?.interval ?? [];
    assert.ok(Math.max(-low, high) <= (verdict?.minEffect ?? 0), `${low} to ${high}`);
  }
});

test('one load that is far off makes no small difference matter', () => {
  const loads = Array.from({ length: 9 }, (_, block) => [
    toLoad(2000 + block),
    toLoad(2000 + block),
    toLoad(2012 + block + (block === 4 ? 900 : 0)),
  ]);
  const [verdict] = judgeExperiment(loads, 1, lcp).variants;
  assert.ok((verdict?.difference ?? 0) > 100);
  assert.deepEqual([verdict?.status, verdict?.isOfFewPairs], ['undecided', true]);
});

test('if the base differs from itself, nothing is claimed', () => {
  const { variants, control, isOver } = judgeExperiment(
    toLoads(9, [200, 900], block => block),
    1,
    lcp,
  );
  assert.equal(control.differs, true);
  assert.equal(variants[0]?.status, 'undecided');
  assert.equal(isOver, true);
});

test('a block with a failed load is replaced by another', () => {
  const loads = toLoads(9, [0, 300], block => block);
  const failed = loads.map((block, at) => (at === 3 ? [block[0], block[1], null] : block));
  assert.equal(judgeExperiment(failed, 1, lcp).isOver, false);
  const replaced = [...failed, ...toLoads(1, [0, 300], () => 0)];
  assert.equal(judgeExperiment(replaced, 1, lcp).variants[0]?.status, 'worse');
});

test('loads of two machines are not a pair', () => {
  const loads = toLoads(9, [0, 300], block => block).map(block => [
    block[0],
    block[1],
    toLoad(block[2]?.metrics[lcp] ?? null, 'two'),
  ]);
  assert.equal(judgeExperiment(loads, 1, lcp).variants[0]?.pairs.length, 0);
});

test('a base or variants that never load end the experiment after three blocks', () => {
  const judge = (isLost: (arm: number) => boolean, blocks = 3) =>
    judgeExperiment(
      toLoads(blocks, [0, 300, 300], () => 0).map(block => block.map((load, arm) => (isLost(arm) ? null : load))),
      2,
      lcp,
    );
  const { isOver, variants } = judge(() => true);
  assert.deepEqual([isOver, variants[0]?.status], [true, 'undecided']);
  assert.equal(judge(() => true, 2).isOver, false);
  assert.equal(judge(arm => arm > 1).isOver, true);
  assert.equal(judge(arm => arm === 2).isOver, false, 'the other variant loads');
});

test('a base or variants without the metric that decides end the experiment after three blocks', () => {
  const judge = (isWithout: (arm: number) => boolean) =>
    judgeExperiment(
      toLoads(3, [0, 300], () => 0).map(block => block.map((load, arm) => (isWithout(arm) ? toLoad(null) : load))),
      1,
      lcp,
    ).isOver;
  assert.deepEqual([judge(() => false), judge(arm => arm === 0), judge(arm => arm === 2)], [false, true, true]);
});

test('the last look ends the experiment, decided or not', () => {
  const random = toRandom([1]);
  const noise = () => 4000 * random();
  const { isOver, variants } = judgeExperiment(toLoads(14, [0, 0], noise), 1, lcp);
  assert.equal(isOver, true);
  assert.equal(variants[0]?.status, 'undecided');
});

test('a verdict of the first look stands when more pairs follow for another variant', () => {
  const first = toLoads(9, [0, 300, 0], block => block).map(([base, again, clear], block) => [
    base,
    again,
    clear,
    toLoad(2000 + block + (block % 2 === 0 ? 400 : -400)),
  ]);
  const later = [...first, ...toLoads(4, [0, -300, 0], () => 0)];
  assert.equal(judgeExperiment(first, 2, lcp).isOver, false);
  const { variants } = judgeExperiment(later, 2, lcp);
  assert.equal(variants[0]?.status, 'worse');
  assert.equal(variants[0]?.judgedPairs, 9);
  assert.equal(variants[1]?.judgedPairs, 13);
});

const experiments = 100;

test('at most 2 % of experiments that change nothing are decided, with one variant and with five', () => {
  for (const variants of [1, 5]) {
    const random = toRandom([variants]);
    const effects = Array.from({ length: 1 + variants }, () => 0);
    const count = variants === 1 ? experiments : experiments / 5;
    let decided = 0;
    for (let experiment = 0; experiment < count; experiment += 1) {
      const loads = toLoads(blocksOf(variants), effects, toNoise(random));
      const { variants: verdicts } = judgeExperiment(loads, variants, lcp);
      if (verdicts.some(({ status }) => status === 'better' || status === 'worse')) decided += 1;
    }
    assert.ok(decided <= 0.02 * count, `${decided} of ${count} with ${variants} variants`);
  }
});

test('a CPU load that starts halfway decides nothing, because it affects all arms alike', () => {
  const random = toRandom([7]);
  const noise = toQuietNoise(random);
  let decided = 0;
  for (let experiment = 0; experiment < experiments; experiment += 1) {
    const loads = toLoads(blocksOf(1), [0, 0], block => noise() + (block >= 5 ? 1000 * (1 + random()) : 0));
    if (judgeExperiment(loads, 1, lcp).variants.some(({ status }) => status === 'better' || status === 'worse'))
      decided += 1;
  }
  assert.ok(decided <= 2, `${decided}`);
});

test('300 ms are found within nine pairs in at least nine of ten experiments on a page without a second mode', () => {
  const random = toRandom([3]);
  const noise = toQuietNoise(random);
  let found = 0;
  for (let experiment = 0; experiment < experiments; experiment += 1)
    if (judgeExperiment(toLoads(9, [0, 300], noise), 1, lcp).variants[0]?.status === 'worse') found += 1;
  assert.ok(found >= 0.9 * experiments, `${found}`);
});

test('the detectable effect is computed from earlier values, and found as often as stated', () => {
  const random = toRandom([11]);
  const noise = toQuietNoise(random);
  const earlier = Array.from({ length: 20 }, () => 2000 + noise());
  const shown = toShownEffect(earlier, { variants: 1, smallest: 100 }) ?? 0;
  let found = 0;
  for (let experiment = 0; experiment < 200; experiment += 1)
    if (judgeExperiment(toLoads(9, [0, shown], noise), 1, lcp).variants[0]?.status === 'worse') found += 1;
  assert.ok(shown >= 100 && shown < 300, `${shown}`);
  assert.ok(found >= 160, `${found} of 200 with ${shown} ms`);
  assert.equal(toShownEffect([2000, 2010], { variants: 1, smallest: 100 }), undefined);
});

test('other measures are corrected for multiple testing', () => {
  const loads = toLoads(9, [0, 300], block => block);
  const [first, second] = toOtherMeasures(loads, 0, ['first_contentful_paint', 'speed_index']);
  assert.equal(first?.name, 'first_contentful_paint');
  assert.equal(first?.pValue, Number((4 / 512).toFixed(6)));
  assert.equal(second?.pValue, 1);
});

test('each block has every arm once, in an order that depends only on the id', () => {
  const plan = toPlan(3);
  assert.deepEqual(plan, { looks: [10, 14], blocks: 15, arms: 5 });
  const order = toOrder('0192-a', plan);
  assert.deepEqual(order, toOrder('0192-a', plan));
  assert.notDeepEqual(order, toOrder('0192-b', plan));
  for (let block = 0; block < plan.blocks; block += 1)
    assert.deepEqual(order.slice(block * 5, block * 5 + 5).toSorted(), [0, 1, 2, 3, 4]);
});

test('a look that was taken uses the same pairs when later blocks have ended', () => {
  const lost = (block: number, loads: readonly ExperimentLoad[]) =>
    block < 2 ? loads.map((load, arm) => (arm === 2 ? null : load)) : loads;
  const toLost = (blocks: number) =>
    toLoads(blocks, [0, 300], block => block).map((loads, block) => lost(block, loads));
  const [first, later] = [10, 11].map(blocks => judgeExperiment(toLost(blocks), 1, lcp));
  assert.deepEqual([first?.variants[0]?.judgedPairs, later?.variants[0]?.judgedPairs], [8, 8]);
  assert.equal(later?.variants[0]?.status, first?.variants[0]?.status);
});
