import { compareSets, type SetComparison, type SetOptions } from '../../src/explain/statistics/compare-sets.ts';
import { toRandom } from '../../src/explain/statistics/random.ts';
import { type Planted, simulatedPageNames, simulateRuns } from '../../test/support/audits/lighthouse-noise.ts';
import { countTrue, printTable, toPercent } from './table.ts';

type Page = (typeof simulatedPageNames)[number];
type Pair = { page: Page; runs: number; planted?: Planted; options?: SetOptions; random: () => number };

const compare = ({ page, runs, planted = {}, options = {}, random }: Pair) =>
  compareSets(simulateRuns(page, runs, { random }), simulateRuns(page, runs, { random, planted }), options);

const toMeasures = ({ scores, metrics }: SetComparison) => [...Object.values(scores), ...Object.values(metrics)];
const isChange = ({ status }: { status: string }) => status === 'better' || status === 'worse';
const isAnyClaimed = (compared: SetComparison) => toMeasures(compared).some(({ p_value }) => p_value !== null);
const isAnyTold = (compared: SetComparison) => toMeasures(compared).some(isChange);
const hasVerdict = (status: string) => (compared: SetComparison) => compared.verdict.status === status;

/** Prints how often unchanged pages are called better or worse, by a measure or by the verdict. */
export function printFalseAlarms(pairs: number): void {
  const of = Math.ceil(pairs / simulatedPageNames.length);
  const tests = [
    isAnyClaimed,
    isAnyTold,
    ({ verdict }: SetComparison) => isChange(verdict),
    hasVerdict('no_difference'),
  ];
  for (const runs of [3, 5, 7, 10]) {
    const random = toRandom([runs, 11]);
    const counts = simulatedPageNames.map(page => countTrue(of, () => compare({ page, runs, random }), tests));
    const all = of * counts.length;
    const total = tests.map((_, at) => counts.reduce((sum, count) => sum + (count[at] as number), 0));
    printTable(
      `Nothing changed, ${runs} runs a side: percent of ${all} pairs`,
      ['page', 'a measure, each by itself', 'a measure, as told', 'verdict', 'no_difference'],
      [
        ...counts.map((count, at) => [simulatedPageNames[at] as Page, ...count.map(value => toPercent(value, of))]),
        ['all', ...total.map(value => toPercent(value, all))],
      ],
    );
  }
}

const plants = {
  'FCP and LCP +100 ms': { first_contentful_paint: 100, largest_contentful_paint: 100 },
  'FCP and LCP +300 ms': { first_contentful_paint: 300, largest_contentful_paint: 300 },
  'LCP +100 ms': { largest_contentful_paint: 100 },
  'LCP +300 ms': { largest_contentful_paint: 300 },
} satisfies Record<string, Planted>;

/** Blocking time that costs ten points of the page's score. */
export const tenPoints: Readonly<Record<Page, number>> = {
  quiet: 400,
  wideLcp: 400,
  evenModes: 390,
  rareMode: 390,
  fonts: 400,
  busy: 440,
  usual: 350,
  disturbed: 350,
  constant: 400,
};

const toPlantedCell = ({ pairs, ...pair }: Omit<Pair, 'random'> & { pairs: number; seed: number }): string => {
  const random = toRandom([pair.runs, pair.seed]);
  const tests = ['worse', 'better', 'no_difference'].map(hasVerdict);
  return countTrue(pairs, () => compare({ ...pair, random }), tests)
    .map(value => toPercent(value, pairs))
    .join(' / ');
};

export function printPlanted(pairs: number): void {
  for (const runs of [5, 7, 10]) {
    const rows = simulatedPageNames.map(page => [
      page,
      ...[...Object.values(plants), { total_blocking_time: tenPoints[page] }].map((planted, seed) =>
        toPlantedCell({ page, runs, planted, pairs, seed }),
      ),
    ]);
    printTable(
      `Planted, ${runs} runs a side: verdict worse / better / no_difference, percent of ${pairs} pairs`,
      ['page', ...Object.keys(plants), '−10 points by TBT'],
      rows,
    );
  }
}

/**
 * Whether the requested number of additional runs gives a verdict: pairs of five runs, then of five plus that number,
 * all drawn again.
 */
function countMoreRuns(page: Page, pairs: number) {
  const random = toRandom([pairs]);
  const count = { open: 0, known: 0, decided: 0, runs: 0 };
  for (let pair = 0; pair < pairs; pair += 1) {
    const planted = pair % 2 === 0 ? {} : plants['LCP +300 ms'];
    const { verdict } = compare({ page, runs: 5, planted, random });
    if (verdict.status === 'undecided') count.open += 1;
    if (verdict.more_runs === null) continue;
    count.known += 1;
    count.runs += verdict.more_runs;
    const again = compare({ page, runs: 5 + verdict.more_runs, planted, random });
    if (!hasVerdict('undecided')(again)) count.decided += 1;
  }
  return count;
}

export function printMoreRuns(pairs: number): void {
  const rows = simulatedPageNames.map(page => {
    const { open, known, decided, runs } = countMoreRuns(page, pairs);
    const mean = known === 0 ? '–' : (runs / known).toFixed(1);
    return [page, toPercent(open, pairs), toPercent(known, open), mean, toPercent(decided, known)];
  });
  printTable(
    `More runs, 5 a side, half unchanged and half LCP +300 ms, ${pairs} pairs`,
    ['page', 'undecided', 'of them with a number', 'mean number', 'of those decided with it'],
    rows,
  );
}

/** Prints verdicts for few runs with earlier sets of five: 40 earlier runs for three a side, 120 for one. */
export function printEarlier(pairs: number): void {
  const toRow = (page: Page, runs: number) => {
    const random = toRandom([runs, 5]);
    const toEarlier = () => ({
      earlier: Array.from({ length: runs === 1 ? 24 : 8 }, () => simulateRuns(page, 5, { random })),
    });
    const same = countTrue(pairs, () => compare({ page, runs, random, options: toEarlier() }), [isAnyTold]);
    const planted = plants['FCP and LCP +300 ms'];
    const changed = countTrue(
      pairs,
      () => compare({ page, runs, random, planted, options: toEarlier() }),
      ['worse', 'better'].map(hasVerdict),
    );
    return [page, String(runs), ...[...same, ...changed].map(value => toPercent(value, pairs))];
  };
  printTable(
    `Few runs, and 40 (for three) or 120 (for one) from before: percent of ${pairs} pairs`,
    ['page', 'runs a side', 'unchanged: anything told', '+300 ms: worse', '+300 ms: better'],
    simulatedPageNames.flatMap(page => [1, 3].map(runs => toRow(page, runs))),
  );
}
