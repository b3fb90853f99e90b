/** What is shown of a list, and what a person can do with it. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import { requestCategories } from '../../../contract/names.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import { categoryWords } from '../../../presentation/findings/findings.ts';
import { metricWords } from '../../../presentation/metric-range.ts';
import { formatValue } from '../../../presentation/numbers.ts';
import { type ListFilter, type Sorting, type SortKey, shownMetrics } from './batch-table.ts';

/* The columns of a list: which there are, what they are called, and how a value reads. */

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
  return isMetric(key) ? shortLabels[key] : categoryWords[key];
};

export const keysOf = ({ categories }: Pick<PageRequest, 'categories'>): ValueKey[] => [
  ...requestCategories.filter(name => categories.includes(name)),
  ...(categories.includes('performance') ? shownMetrics : []),
];

export const sayValue = (value: number, key: ValueKey): string =>
  isMetric(key) ? formatValue(value, metricWords[key].unit) : `${value}`;

export type BatchState = {
  readonly request: PageRequest;
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  /** Its results are read from what the service keeps, or were: nothing is measured. */
  readonly isKept: boolean;
  readonly isCancelled: boolean;
  readonly failure?: FailureReason;
  readonly sorting: Sorting;
  readonly filter: ListFilter;
  /** Lines whose details are open. */
  readonly opened: ReadonlySet<string>;
  readonly seconds: number;
  /** How many lines are drawn. */
  readonly shown: number;
  /** The service keeps results, and with them pictures of the pages. */
  readonly keepsResults: boolean;
};

export type BatchActions = {
  readonly cancel: () => void;
  readonly again: () => void;
  /** Measures the pages that have no result yet. */
  readonly measureRest: () => void;
  readonly sort: (sorting: Sorting) => void;
  readonly filter: (filter: ListFilter) => void;
  readonly toggle: (line: string) => void;
  readonly showMore: (lines: number) => void;
};

/** Lines that are drawn at first, and how many come with each press. */
export const linesAtOnce = 100;
