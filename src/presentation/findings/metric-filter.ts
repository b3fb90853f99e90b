/** Which findings bear on which metric, as the audits' savings tell. */
import { isForRepeatVisits } from '../../contract/result/advice.ts';
import type { FailedAudit } from '../../contract/result/result.ts';
import { metricWords } from '../metric-range.ts';

/** As Lighthouse has estimates for; speed index has none of its own. */
const metricOf = {
  fcp: 'first_contentful_paint',
  lcp: 'largest_contentful_paint',
  tbt: 'total_blocking_time',
  cls: 'cumulative_layout_shift',
} as const;
type Key = keyof typeof metricOf;

const metricChoices = ['all', 'fcp', 'lcp', 'tbt', 'cls'] as const;
export type MetricChoice = (typeof metricChoices)[number];

export const isMetricChoice = (text: string | null): text is MetricChoice =>
  (metricChoices as readonly string[]).includes(text ?? '');

const keys = metricChoices.filter((choice): choice is Key => choice !== 'all');

type Bearing = Pick<FailedAudit, 'id' | 'metrics' | 'savings'>;

/** Also where nothing is estimated. What only helps on a later visit bears on none. */
export function bearsOn({ id, metrics = [], savings }: Bearing): Key[] {
  const names: readonly string[] = [...Object.keys(savings), ...metrics];
  return isForRepeatVisits(id) ? [] : keys.filter(key => names.includes(metricOf[key]));
}

export type CountedChoice = { readonly choice: MetricChoice; readonly count: number };

/** Every choice with how many findings it shows; empty if no finding bears on a metric. */
export function countChoices(findings: readonly Bearing[]): CountedChoice[] {
  const all = findings.map(bearsOn);
  if (all.every(bearing => bearing.length === 0)) return [];
  return metricChoices.map(choice => ({
    choice,
    count: all.filter(bearing => choice === 'all' || bearing.includes(choice)).length,
  }));
}

/** As it is called in short, and what that stands for. */
export const choiceWords = (choice: MetricChoice): readonly [short: string, long: string] =>
  choice === 'all' ? ['All', 'findings'] : [choice.toUpperCase(), metricWords[metricOf[choice]].label];
