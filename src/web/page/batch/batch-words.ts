/** Describes the progress of a list, and the age of its results. */
import { hasEnded, isFailedRow, type Row } from '../../../api-client/run-batch.ts';
import { columnsOf } from '../../../presentation/answer.ts';
import { hostOf, pathOf } from '../../../presentation/download-name.ts';
import { counted, formatDuration } from '../../../presentation/numbers.ts';
import type { BatchState } from './batch-table.ts';

export const sayBatch = (rows: readonly Row[]): string => {
  const failed = rows.filter(isFailedRow).length;
  const done = rows.filter(row => row.state === 'done').length;
  return `${done} of ${counted(rows.length, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`;
};

/** Returns the host of all pages; undefined if there are several. */
export const sharedHost = (urls: readonly string[]): string | undefined => {
  const [first, ...others] = new Set(urls.map(hostOf));
  return others.length === 0 ? first : undefined;
};

/** Returns the path of a page if the list names the host once, otherwise its host and path. */
export const sayPage = (url: string, host: string | undefined): string =>
  host === undefined ? url.replace(/^https?:\/\//, '') : pathOf(url);

/** Min number of measured pages for estimating the remaining time. */
const enoughPages = 2;

/**
 * Estimates the remaining time by the pages measured in this run: `About 3 min left`; empty at first.
 * @param seconds since the start
 */
export function sayTimeLeft(rows: readonly Row[], seconds: number): string {
  const measured = rows.filter(row => row.state === 'done' && !row.isKept).length;
  const left = rows.filter(row => !hasEnded(row)).length;
  if (measured < enoughPages || left === 0) return '';
  const estimate = (seconds / measured) * left;
  const step = estimate < 60 ? 5 : 60;
  return `About ${formatDuration(Math.ceil(estimate / step) * step)} left.`;
}

type BatchPhase = Pick<BatchState, 'isRunning' | 'isKept' | 'isCancelled'>;

export function sayBatchPhase({ isRunning, isKept, isCancelled }: BatchPhase): string {
  if (isRunning) return isKept ? 'Loading' : 'Measuring';
  if (isCancelled) return 'Cancelled after';
  return isKept ? 'Measured before:' : 'Measured';
}

export const sayOrder = (state: Pick<BatchState, 'sorting' | 'isRunning' | 'isKept'>): string =>
  state.sorting.by === 'order' && state.isRunning && !state.isKept ? 'In the order given' : 'Results';

const timesOf = (rows: readonly Row[]): number[] =>
  rows.flatMap(({ answer }) =>
    answer ? columnsOf(answer).flatMap(({ part }) => (part.ok ? [Date.parse(part.result.fetched_at)] : [])) : [],
  );

const sayAges = (times: readonly number[], nowMs: number): string => {
  const sayAge = (timeMs: number) => formatDuration(Math.max(0, nowMs - timeMs) / 1000);
  const [newest, oldest] = [sayAge(Math.max(...times)), sayAge(Math.min(...times))];
  return `${newest === oldest ? newest : `between ${oldest} and ${newest}`} ago`;
};

type Kept = Pick<BatchState, 'rows' | 'isRunning' | 'isKept' | 'keepsResults'>;

/**
 * Describes the age of results that this run did not measure; empty if it measured all.
 * @param nowMs in ms since 1970
 */
export function sayKept({ rows, isRunning, isKept, keepsResults }: Kept, nowMs: number): string {
  if (isKept && isRunning) return 'Loading stored results. No page is measured.';
  const known = rows.filter(row => row.isKept && row.answer);
  const times = timesOf(known);
  if (isKept && times.length === 0)
    return keepsResults
      ? 'The results of this list are no longer stored.'
      : 'This service stores no results. Measure the list again to see them.';
  if (times.length === 0) return '';
  if (isKept) return `Measured ${sayAges(times, nowMs)}. No page was measured again.`;
  const pages = `${known.length} of ${counted(rows.length, 'page')} ${known.length === 1 ? 'was' : 'were'}`;
  return `${pages} measured ${sayAges(times, nowMs)}, not in this run.`;
}
