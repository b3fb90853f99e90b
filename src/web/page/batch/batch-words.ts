/** A list in words: how far it is, and how old what it shows. */
import { hasEnded, isFailedRow, type Row } from '../../../api-client/run-batch.ts';
import { columnsOf } from '../../../presentation/answer.ts';
import { hostOf, pathOf } from '../../../presentation/download-name.ts';
import { counted, formatDuration } from '../../../presentation/numbers.ts';
import type { BatchState } from './batch-state.ts';

export const sayBatch = (rows: readonly Row[]): string => {
  const failed = rows.filter(isFailedRow).length;
  const done = rows.filter(row => row.state === 'done').length;
  return `${done} of ${counted(rows.length, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`;
};

/** The host that every page of a list has; undefined if there are several. */
export const sharedHost = (urls: readonly string[]): string | undefined => {
  const [first, ...others] = new Set(urls.map(hostOf));
  return others.length === 0 ? first : undefined;
};

/** A page in a list: its path if the list names the host once, else its host and path. */
export const sayPage = (url: string, host: string | undefined): string =>
  host === undefined ? url.replace(/^https?:\/\//, '') : pathOf(url);

/** Pages that a run must have measured before their mean tells how long the others take. */
const enoughPages = 2;

/** The time left by the pages this run has measured: `About 3 min left`; empty before it is known. @param seconds since the start */
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

export const sayOrder = ({
  sorting,
  isRunning,
  isKept,
}: Pick<BatchState, 'sorting' | 'isRunning' | 'isKept'>): string =>
  sorting.by === 'order' && isRunning && !isKept ? 'In the order given' : 'Results';

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

/** How old the results are that this run did not measure; empty if it measured all. @param nowMs in ms since 1970 */
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
