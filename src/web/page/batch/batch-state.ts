/** What is shown of a list, and what a person can do with it. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Row } from '../../../api-client/run-batch.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import type { ListFilter, Sorting } from './batch-table.ts';

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
