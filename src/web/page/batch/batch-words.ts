/** A list in words: how far it is, and how old what it shows. */
import { isFailedRow, type Row } from '../../../client/run-batch.ts';
import { columnsOf } from '../../../presentation/answer.ts';
import { counted, formatDuration } from '../../../presentation/numbers.ts';
import type { BatchState } from './batch-state.ts';

export const sayBatch = (rows: readonly Row[]): string => {
  const failed = rows.filter(isFailedRow).length;
  const done = rows.filter(row => row.state === 'done').length;
  return `${done} of ${counted(rows.length, 'page')}${failed > 0 ? `, ${failed} failed` : ''}`;
};

type Stage = Pick<BatchState, 'isRunning' | 'isKept' | 'isCancelled'>;

export function sayStage({ isRunning, isKept, isCancelled }: Stage): string {
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

/** How old the results are that were not measured now. @param nowMs in ms since 1970 */
export function sayKept(
  { rows, isRunning, keepsResults }: Pick<BatchState, 'rows' | 'isRunning' | 'keepsResults'>,
  nowMs: number,
): string {
  if (isRunning) return 'Looking for kept results. Nothing is measured now.';
  const times = timesOf(rows);
  if (times.length === 0)
    return keepsResults
      ? 'No result of this list is kept any more.'
      : 'This service keeps no results. Measure the list again to see them.';
  const sayAge = (timeMs: number) => formatDuration(Math.max(0, nowMs - timeMs) / 1000);
  const [newest, oldest] = [sayAge(Math.max(...times)), sayAge(Math.min(...times))];
  return `Measured ${newest === oldest ? newest : `between ${oldest} and ${newest}`} ago. Nothing was measured now.`;
}
