import { readFileSync } from 'node:fs';
import { compareSets, type MeasuredRun, type SetComparison } from '../../src/explain/statistics/compare-sets.ts';
import { type Random, shuffle, toRandom } from '../../src/explain/statistics/random.ts';
import { medianOf, toSorted } from '../../src/presentation/values.ts';
import {
  type Planted,
  type SimulatedMetrics,
  simulatedPageNames,
  simulateRuns,
  toSimulatedRun,
} from '../../test/support/audits/lighthouse-noise.ts';
import { countTrue, printTable, toPercent } from './table.ts';
import { tenPoints as tenPointsOf } from './verdict-table.ts';

type Load = {
  time: string;
  benchmark_index: number | null;
  scores: { performance: number };
  metrics: SimulatedMetrics;
};
type Pair = { before: readonly Load[]; after: readonly Load[] };

/** Forty loads of each of three local pages, audited in turn by a service on 2026-11-22, in order. */
export const realLoads: Readonly<Record<string, readonly Load[]>> = JSON.parse(
  readFileSync(new URL('./real-loads.json', import.meta.url), 'utf8'),
);

const hasVerdict = (status: string) => (compared: SetComparison) => compared.verdict.status === status;
const statuses = ['worse', 'better', 'no_difference'].map(hasVerdict);

/** Every window of consecutive loads, split into two sides, so that drift of the machine is part of the difference. */
const toNeighbours = (of: readonly Load[], runs: number): Pair[] =>
  of
    .slice(2 * runs - 1)
    .map((_, at) => ({ before: of.slice(at, at + runs), after: of.slice(at + runs, at + 2 * runs) }));

/** Sides that differ in machine speed get no verdict: see src/explain/change/differences.ts. */
const isAlike = ({ before, after }: Pair): boolean => {
  const [one, other] = [before, after].map(side => medianOf(toSorted(side.map(load => load.benchmark_index))));
  return Math.max(one ?? 1, other ?? 1) / Math.min(one ?? 1, other ?? 1) <= 1.2;
};

/** Draws without replacement, regardless of when a load was measured. */
const drawDifferent = (of: readonly Load[], runs: number, random: Random): Pair => {
  const drawn = shuffle([...of], random);
  return { before: drawn.slice(0, runs), after: drawn.slice(runs, 2 * runs) };
};

/** Draws with replacement. */
const drawAnew = (of: readonly Load[], runs: number, random: Random): Pair => {
  const draw = () => Array.from({ length: runs }, () => of[Math.floor(random() * of.length)] as Load);
  return { before: draw(), after: draw() };
};

const plant = ({ metrics }: Load, planted: Planted): MeasuredRun =>
  toSimulatedRun(
    Object.fromEntries(
      Object.entries(metrics).map(([name, value]) => [name, value + (planted[name as keyof SimulatedMetrics] ?? 0)]),
    ) as SimulatedMetrics,
  );

/** Blocking time that costs ten points of the page's median score. */
const tenPoints: Readonly<Record<string, number>> = { good: 400, faulty: 900, 'thirty resources': 400 };
const toPlants = (page: string): Readonly<Record<string, Planted>> => ({
  'FCP and LCP +100 ms': { first_contentful_paint: 100, largest_contentful_paint: 100 },
  'FCP and LCP +300 ms': { first_contentful_paint: 300, largest_contentful_paint: 300 },
  '−10 points by TBT': { total_blocking_time: tenPoints[page] ?? 400 },
});

const say = (counts: readonly number[], of: number) => counts.map(count => toPercent(count, of)).join(' / ');

/**
 * Prints false alarms and found changes on real loads.
 * @param pairs pairs drawn with replacement, over all pages
 */
export function printReal(pairs: number): void {
  const runs = 5;
  const random = toRandom([runs]);
  const compare = ({ before, after }: Pair) => compareSets(before, after);
  const perPage = Math.ceil(pairs / Object.keys(realLoads).length);
  printTable(
    `Real loads, nothing changed, ${runs} a side: worse / better / no_difference, percent`,
    ['page', 'loads', 'neighbours', `200 pairs of different loads`, `${perPage} drawn anew`],
    Object.entries(realLoads).map(([page, of]) => {
      const pairs = toNeighbours(of, runs);
      const neighbours = pairs.filter(isAlike).map(compare);
      return [
        ...[page, String(of.length)],
        `${say(
          statuses.map(test => neighbours.filter(test).length),
          pairs.length,
        )} of ${pairs.length}, ${pairs.length - neighbours.length} not alike`,
        say(
          countTrue(200, () => compare(drawDifferent(of, runs, random)), statuses),
          200,
        ),
        say(
          countTrue(perPage, () => compare(drawAnew(of, runs, random)), statuses),
          perPage,
        ),
      ];
    }),
  );
  printTable(
    `Real loads, planted, ${runs} a side, 500 pairs of different loads: worse / better / no_difference, percent`,
    ['page', ...Object.keys(toPlants(''))],
    Object.entries(realLoads).map(([page, of]) => [
      page,
      ...Object.values(toPlants(page)).map(planted => {
        const draw = () => {
          const { before, after } = drawDifferent(of, runs, random);
          return compareSets(
            before,
            after.map(load => plant(load, planted)),
          );
        };
        return say(countTrue(500, draw, statuses), 500);
      }),
    ]),
  );
}

const sizes = [5, 7, 10, 15, 20, 30];
const wantedShare = 0.9;

/** The smallest tested number of runs for each side that finds the change in nine of ten pairs. */
function findNeeded(pairs: number, draw: (runs: number) => SetComparison): string {
  for (const runs of sizes) {
    const [found = 0] = countTrue(pairs, () => draw(runs), [hasVerdict('worse')]);
    if (found >= wantedShare * pairs) return String(runs);
  }
  return `more than ${sizes.at(-1)}`;
}

/** Prints how many runs of each side find a planted change, on real and on simulated pages. */
export function printNeeded(pairs: number): void {
  const random = toRandom([pairs, 17]);
  const real = Object.entries(realLoads).map(([page, of]) => [
    `${page} (real)`,
    ...Object.values(toPlants(page)).map(planted =>
      findNeeded(pairs, runs => {
        const { before, after } = drawAnew(of, runs, random);
        return compareSets(
          before,
          after.map(load => plant(load, planted)),
        );
      }),
    ),
  ]);
  const simulated = simulatedPageNames.map(page => [
    page,
    ...Object.values({ ...toPlants(page), '−10 points by TBT': { total_blocking_time: tenPointsOf[page] } }).map(
      planted =>
        findNeeded(pairs, runs =>
          compareSets(simulateRuns(page, runs, { random }), simulateRuns(page, runs, { random, planted })),
        ),
    ),
  ]);
  printTable(
    `The fewest runs of each side (of ${sizes.join(', ')}) that find it in nine of ten of ${pairs} pairs`,
    ['page', ...Object.keys(toPlants(''))],
    [...real, ...simulated],
  );
}
