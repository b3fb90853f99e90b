/** Assigns findings to metrics by their savings. */
import { isForRepeatVisits } from '../../contract/result/advice.ts';
import type { FailedAudit } from '../../contract/result/result.ts';
import { metricWords } from '../words.ts';

/** Metrics for which Lighthouse has estimates; it has none for speed index. */
const metricOf = {
  fcp: 'first_contentful_paint',
  lcp: 'largest_contentful_paint',
  tbt: 'total_blocking_time',
  cls: 'cumulative_layout_shift',
} as const;

const metricChoices = ['all', 'fcp', 'lcp', 'tbt', 'cls'] as const;
export type MetricChoice = (typeof metricChoices)[number];

export const isMetricChoice = (text: string | null): text is MetricChoice =>
  (metricChoices as readonly string[]).includes(text ?? '');

const keys = metricChoices.filter((choice): choice is keyof typeof metricOf => choice !== 'all');

type Bearing = Pick<FailedAudit, 'id' | 'metrics' | 'savings'>;

/** Returns the metrics of a finding, even without an estimate. A finding that only helps repeat visits has none. */
export function bearsOn({ id, metrics = [], savings }: Bearing): (keyof typeof metricOf)[] {
  const names: readonly string[] = [...Object.keys(savings), ...metrics];
  return isForRepeatVisits(id) ? [] : keys.filter(key => names.includes(metricOf[key]));
}

export type CountedChoice = { readonly choice: MetricChoice; readonly count: number };

/** Returns every choice with the number of its findings; empty if no finding belongs to a metric. */
export function countChoices(findings: readonly Bearing[]): CountedChoice[] {
  const all = findings.map(bearsOn);
  if (all.every(bearing => bearing.length === 0)) return [];
  return metricChoices.map(choice => ({
    choice,
    count: all.filter(bearing => choice === 'all' || bearing.includes(choice)).length,
  }));
}

export const choiceWords = (choice: MetricChoice): readonly [short: string, long: string] =>
  choice === 'all' ? ['All', 'findings'] : [choice.toUpperCase(), metricWords[metricOf[choice]].label];
