/** State of a list, and the actions of the user. */

import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import { requestCategories } from '../../../contract/names.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import { formatValue } from '../../../presentation/numbers.ts';
import { headOf, isTableMetric, metricWords, tableMetrics } from '../../../presentation/words.ts';
import type { HomeActions } from '../home/home-state.ts';
import type { ListFilter, Sorting, SortKey } from './batch-table.ts';

/* Columns of a list: their names, and the format of their values. */

/** A column with values. */
export type ValueKey = Exclude<SortKey, 'order' | 'page'>;

export const labelOf = (key: SortKey): string => {
  if (key === 'page') return 'Page';
  if (key === 'order') return 'Order';
  return headOf(key);
};

export const keysOf = ({ categories }: Pick<PageRequest, 'categories'>): ValueKey[] => [
  ...requestCategories.filter(name => categories.includes(name)),
  ...(categories.includes('performance') ? tableMetrics : []),
];

export const sayValue = (value: number, key: ValueKey): string =>
  isTableMetric(key) ? formatValue(value, metricWords[key].unit) : `${value}`;

export type BatchState = {
  readonly request: PageRequest;
  readonly rows: readonly Row[];
  readonly isRunning: boolean;
  /** Whether stored results are displayed without measuring. */
  readonly isKept: boolean;
  readonly isCancelled: boolean;
  readonly failure?: FailureReason;
  readonly sorting: Sorting;
  readonly filter: ListFilter;
  /** Lines with open details. */
  readonly opened: ReadonlySet<string>;
  readonly seconds: number;
  /** Number of displayed lines. */
  readonly shown: number;
  /** Whether the service stores results, including screenshots. */
  readonly keepsResults: boolean;
};

export type BatchActions = {
  readonly watchPages: HomeActions['watchPages'];
  readonly cancel: () => void;
  readonly again: () => void;
  /** Measures the pages without a result. */
  readonly measureRest: () => void;
  readonly sort: (sorting: Sorting) => void;
  readonly filter: (filter: ListFilter) => void;
  readonly toggle: (line: string) => void;
  readonly showMore: (lines: number) => void;
};

/** Number of lines that are displayed at first, and added by each click. */
export const linesAtOnce = 100;
