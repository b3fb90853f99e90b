import { toRankInterval } from '../../src/explain/statistics/interval.ts';
import { toRandom } from '../../src/explain/statistics/random.ts';
import { toSmallest } from '../../src/explain/statistics/smallest-effect.ts';
import { medianOf } from '../../src/presentation/values.ts';
import { type SimulatedPageName, type SimulatedRun, simulateRuns } from '../../test/support/audits/lighthouse-noise.ts';
import { otherIntervals, type ToInterval } from './other-intervals.ts';
import { printTable, toPercent } from './table.ts';

const confidence = 0.98;
const byRanks: ToInterval = (before, after) => toRankInterval(before, after, confidence)?.interval ?? [0, 0];
const methods: Readonly<Record<string, ToInterval>> = { ranks: byRanks, ...otherIntervals };

type Measure = { page: SimulatedPageName; name: string; of: (run: SimulatedRun) => number; planted: number };
const time = { absolute: 50, share: 0.05 };
const lcp = (page: SimulatedPageName): Measure => ({
  page,
  name: 'LCP',
  of: ({ metrics }) => Math.round(metrics.largest_contentful_paint),
  planted: 300,
});
const measures: readonly Measure[] = [
  lcp('quiet'),
  lcp('wideLcp'),
  lcp('evenModes'),
  lcp('rareMode'),
  lcp('busy'),
  { page: 'busy', name: 'TBT', of: ({ metrics }) => metrics.total_blocking_time, planted: 300 },
  { page: 'evenModes', name: 'TBT', of: ({ metrics }) => metrics.total_blocking_time, planted: 300 },
  { page: 'busy', name: 'score', of: ({ scores }) => scores.performance, planted: -10 },
];

const holdsZero = ([low, high]: readonly [number, number]) => low <= 0 && high >= 0;

type Triple = { before: readonly number[]; after: readonly number[]; shifted: readonly number[]; smallest: number };

function toCell(toInterval: ToInterval, triples: readonly Triple[]): string {
  const isFound = ({ before, smallest }: Triple, sample: readonly number[]) =>
    !holdsZero(toInterval(before, sample, confidence)) && Math.abs(medianOf(sample) - medianOf(before)) >= smallest;
  const tests = [
    (triple: Triple) => holdsZero(toInterval(triple.before, triple.after, confidence)),
    (triple: Triple) => isFound(triple, triple.after),
    (triple: Triple) => isFound(triple, triple.shifted),
  ];
  return tests.map(test => toPercent(triples.filter(test).length, triples.length)).join(' / ');
}

function drawTriples({ page, name, of, planted }: Measure, size: number, pairs: number): Triple[] {
  const random = toRandom([size, planted]);
  const draw = () =>
    simulateRuns(page, size, { random })
      .map(of)
      .sort((a, b) => a - b);
  return Array.from({ length: pairs }, () => {
    const [before, after, third] = [draw(), draw(), draw()];
    const smallest = name === 'score' ? 2 : toSmallest(time, medianOf(before));
    return { before, after, shifted: third.map(value => value + planted), smallest };
  });
}

/**
 * Percent of unchanged pairs whose interval contains zero, percent with a false alarm, and percent of planted changes
 * found.
 */
export function printIntervals(pairs: number): void {
  for (const size of [3, 5, 7, 10]) {
    const rows = measures.map(measure => {
      const triples = drawTriples(measure, size, pairs);
      return [`${measure.page} ${measure.name}`, ...Object.values(methods).map(method => toCell(method, triples))];
    });
    printTable(
      `Intervals at 98 %, ${size} a side: holds zero / false alarm / ±300 ms or −10 points found, percent of ${pairs}`,
      ['', ...Object.keys(methods)],
      rows,
    );
  }
}
