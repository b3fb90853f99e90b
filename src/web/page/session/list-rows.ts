/** Rows of a list that change close together are drawn together, and remembered as the list goes on. */

import type { Row } from '../../../api-client/run-batch.ts';
import { rememberRow } from '../../../api-client/stored/kept-batch.ts';
import type { BatchState } from '../batch/batch-state.ts';
import type { Stage } from './stage.ts';

export type BatchChange = (state: BatchState) => Partial<BatchState>;

export const changeBatch = (stage: Stage, change: BatchChange): void =>
  stage.change('batch', ({ kind, state }) => ({ kind, state: { ...state, ...change(state) } }));

/** The entry of the tab's history has it from here on. */
export const rememberBatch = ({ screen }: Stage, { request, rows }: BatchState): void =>
  screen.remember(request, rows.map(rememberRow));

const drawEveryMs = 50;

export type ListRows = {
  add(row: Row): void;
  /** Draws what has not been drawn yet. */
  draw(): void;
};

export function createListRows(stage: Stage, signal: AbortSignal): ListRows {
  const changed = new Map<number, Row>();
  let waiting: number | undefined;
  const draw = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (changed.size > 0) changeBatch(stage, ({ rows }) => ({ rows: rows.map(row => changed.get(row.index) ?? row) }));
    changed.clear();
  };
  return {
    draw,
    add(row) {
      if (signal.aborted) return;
      changed.set(row.index, row);
      waiting ??= setTimeout(() => signal.aborted || draw(), drawEveryMs);
    },
  };
}
