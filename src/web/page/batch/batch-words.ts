/** A list in words: how far it is, and how old what it shows. */
import { isFailedRow, type Row } from '../../../api-client/run-batch.ts';
import { columnsOf } from '../../../presentation/answer.ts';
import { counted, formatDuration } from '../../../presentation/numbers.ts';
import type { BatchState } from './batch-state.ts';

export const sayBatch = (rows: readonly Row[]): string => {
  const failed = rows.filter(isFailedRow).length;
  const done = rows.filter(row => row.state === 'done').length;
  return `${done} of ${counted(rows.length, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`;
};

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

/** How old the results are that were not measured now; empty where all were. @param nowMs in ms since 1970 */
export function sayKept({ rows, isRunning, isKept, keepsResults }: Kept, nowMs: number): string {
  if (isKept && isRunning) return 'Looking for kept results. Nothing is measured now.';
  const known = rows.filter(row => row.isKept);
  const times = timesOf(known);
  if (isKept && times.length === 0)
    return keepsResults
      ? 'No result of this list is kept any more.'
      : 'This service keeps no results. Measure the list again to see them.';
  if (times.length === 0) return '';
  if (isKept) return `Measured ${sayAges(times, nowMs)}. Nothing was measured now.`;
  const pages = `${known.length} of ${counted(rows.length, 'page')} ${known.length === 1 ? 'was' : 'were'}`;
  return `${pages} measured ${sayAges(times, nowMs)}, not in this run.`;
}
