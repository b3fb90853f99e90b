/** A difference without a known cause: in which metric it is, then, is all there is to say of it. */
import type { Comparison } from '../../../contract/analysis/comparison.ts';
import { countPoints, withSign } from '../phrases.ts';

const metricWords: ReadonlyMap<string, string> = new Map([
  ['first_contentful_paint', 'the first paint'],
  ['largest_contentful_paint', 'the largest paint'],
  ['total_blocking_time', 'blocking time'],
  ['cumulative_layout_shift', 'layout shifts'],
  ['speed_index', 'the speed index'],
]);

/** Less is no more than a part of it. */
const leastShare = 2 / 3;

/** Empty where several metrics share it. */
function sayMetric({ performance }: Comparison, rest: number): string {
  const [most] = Object.entries(performance?.metrics ?? {})
    .map(([name, { points }]) => ({ word: metricWords.get(name), share: (points ?? 0) / rest }))
    .toSorted((a, b) => b.share - a.share);
  return most?.word && most.share >= leastShare ? `, most of it in ${most.word}` : '';
}

/** Beside what is stated it is not known which metrics are left. */
export const tellUnexplained = (comparison: Comparison, points: number, isBesideOthers: boolean): string =>
  isBesideOthers
    ? `the other ${countPoints(Math.abs(points))} have no known cause`
    : `${withSign(points)} by no known cause${sayMetric(comparison, points)}`;
