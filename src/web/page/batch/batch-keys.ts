/** The columns of a list: which there are, what they are called, and how a value reads. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import { type Category, categoryNames } from '../../../contract/names.ts';
import { categoryWords } from '../../../presentation/findings/findings.ts';
import { metricWords } from '../../../presentation/metric-range.ts';
import { formatValue } from '../../../presentation/numbers.ts';
import { type SortKey, shownMetrics } from './batch-table.ts';

/** A column with values. */
export type ValueKey = Exclude<SortKey, 'order' | 'page'>;

const shortLabels = {
  largest_contentful_paint: 'LCP',
  total_blocking_time: 'TBT',
  cumulative_layout_shift: 'CLS',
} as const satisfies Record<(typeof shownMetrics)[number], string>;

export const isMetric = (key: SortKey): key is (typeof shownMetrics)[number] =>
  (shownMetrics as readonly string[]).includes(key);

export const labelOf = (key: SortKey): string => {
  if (key === 'page') return 'Page';
  if (key === 'order') return 'Order';
  return isMetric(key) ? shortLabels[key] : categoryWords[key as Category];
};

export const keysOf = ({ categories }: Pick<PageRequest, 'categories'>): ValueKey[] => [
  ...categoryNames.filter(name => categories.includes(name)),
  ...(categories.includes('performance') ? shownMetrics : []),
];

export const sayValue = (value: number, key: ValueKey): string =>
  isMetric(key) ? formatValue(value, metricWords[key].unit) : `${value}`;
