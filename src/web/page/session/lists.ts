/** Measures, displays and continues lists of pages. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import { endRows, hasEnded, type Row, runBatch, startRows, unmeasuredOf } from '../../../api-client/run-batch.ts';
import { type BatchMemory, readBatch, rememberRow } from '../../../api-client/stored/kept-batch.ts';
import { type FailureReason, wantsKey } from '../../../presentation/errors-in-words.ts';
import { asGiven, type BatchState, linesAtOnce, wholeList, worstFirst } from '../batch/batch-table.ts';
import { sayBatch } from '../batch/batch-words.ts';
import { optionsOf, type SessionStage, throwUnlessAborted } from './current-view.ts';
import { isOfRun, type PageRun, secondsOf, startRun } from './run.ts';

type BatchChange = (state: BatchState) => Partial<BatchState>;

export const changeBatch = (stage: SessionStage, change: BatchChange): void => stage.changeState('batch', change);

/** Stores the state in the tab's history. */
const rememberBatch = ({ screen }: SessionStage, { request, rows }: BatchState, run?: PageRun): void =>
  screen.remember(request, { batch: rows.map(rememberRow), run });

/** Min time between two drawings: the totals of a long list take a while. */
const drawEveryMs = 50;
const drawMsOfRow = 0.1;

/** Combines row changes in quick succession into one redraw. */
function createListRows(stage: SessionStage, signal: AbortSignal) {
  const changed = new Map<number, Row>();
  let waiting: number | undefined;
  const draw = (): void => {
    clearTimeout(waiting);
    waiting = undefined;
    if (changed.size > 0) changeBatch(stage, ({ rows }) => ({ rows: rows.map(row => changed.get(row.index) ?? row) }));
    changed.clear();
  };
  return {
    /** Draws pending changes. */
    draw,
    add(row: Row): void {
      if (signal.aborted) return;
      changed.set(row.index, row);
      const rows = stage.viewOf('batch')?.state.rows.length ?? 0;
      waiting ??= setTimeout(() => signal.aborted || draw(), Math.max(drawEveryMs, drawMsOfRow * rows));
    },
  };
}

export type Lists = ReturnType<typeof createLists>;

type ListWork = (onRow: (row: Row) => void, signal: AbortSignal) => Promise<FailureReason | 'nothing' | undefined>;

/** @param keepsResults whether the service stores results, including screenshots */
export function createLists(stage: SessionStage, keepsResults: boolean) {
  let atWork: ReturnType<typeof createListRows> | undefined;

  const end = (change: Partial<BatchState>): void => {
    const state = stage.viewOf('batch')?.state;
    if (!state) return;
    const sorting = state.sorting === asGiven ? worstFirst(state.request) : state.sorting;
    const last: BatchState = { ...state, ...change, sorting, rows: endRows(state.rows), isRunning: false };
    // Results that cannot be read now may be readable after a reload.
    if (!last.isKept || !(last.isCancelled || last.failure)) rememberBatch(stage, last);
    const words = `${last.isCancelled ? 'Cancelled' : 'Finished'}: ${sayBatch(last.rows)}.`;
    stage.settle(state.request, { kind: 'batch', state: last }, words);
  };

  const toState = (request: PageRequest, rows: readonly Row[]): BatchState => ({
    request,
    rows,
    isRunning: true,
    isKept: false,
    isCancelled: false,
    sorting: asGiven,
    filter: wholeList,
    opened: new Set<string>(),
    seconds: 0,
    shown: linesAtOnce,
    keepsResults,
  });

  /** Follows the work from the first row to the last. */
  async function follow(state: BatchState, signal: AbortSignal, work: ListWork, run?: PageRun): Promise<void> {
    const startedAt = performance.now() - (run ? secondsOf(run) * 1000 : 0);
    const rows = createListRows(stage, signal);
    atWork = rows;
    stage.show({ kind: 'batch', state });
    if (!state.isKept) rememberBatch(stage, state, run);
    let known = state.rows;
    stage.everySecond(() => {
      changeBatch(stage, () => ({ seconds: (performance.now() - startedAt) / 1000 }));
      const now = stage.viewOf('batch')?.state;
      if (!now || now.rows === known || state.isKept) return;
      known = now.rows;
      rememberBatch(stage, now, run);
    });
    const failure = await work(rows.add, signal);
    if (signal.aborted) return;
    if (failure === 'nothing') return lists.measure(state.request, false);
    if (failure && wantsKey(failure)) return stage.settleFailure(state.request, failure);
    rows.draw();
    end(failure ? { failure } : {});
  }

  /** Measures the waiting rows, or follows the run that does. */
  function measureRows(state: BatchState, run: PageRun | undefined, fresh = false): void {
    const { request, rows } = state;
    const signal = stage.begin(request, () => measureRows(state, run, fresh));
    const options = { ...optionsOf(signal), fresh, jobKey: run?.key };
    const waiting = rows.filter(row => !hasEnded(row));
    follow(state, signal, onRow => runBatch(request, onRow, options, waiting), run).catch(throwUnlessAborted(signal));
  }

  /** Follows the run of a list; earlier results are read. */
  function resume(request: PageRequest, memory: BatchMemory, run: PageRun): void {
    const signal = stage.begin(request, () => resume(request, memory, run));
    const rows = startRows(request.urls);
    const read = async (): Promise<void> => {
      const onRow = (row: Row) => isOfRun(run, row.index) || rows.splice(row.index, 1, row);
      const others = rows.map(({ index }) => (isOfRun(run, index) ? null : (memory[index] ?? null)));
      if (run.indexes) await readBatch(request, others, onRow, optionsOf(signal));
      if (!signal.aborted) measureRows(toState(request, rows), run, run.fresh);
    };
    read().catch(throwUnlessAborted(signal));
  }

  const lists = {
    /** Measures every page. */
    measure(request: PageRequest, fresh: boolean): void {
      measureRows(toState(request, startRows(request.urls)), keepsResults ? startRun(fresh) : undefined, fresh);
    },
    /** Measures the pages without a result. */
    measureRest(): void {
      const shown = stage.viewOf('batch')?.state;
      if (!shown) return;
      const { request, rows, failure: _, ...state } = shown;
      const left = unmeasuredOf(rows);
      const begun = startRows(request.urls);
      // Other rows were measured before this run: their age is displayed, and they do not affect the remaining time.
      const waiting = rows.map(row =>
        left.includes(row) ? (begun[row.index] ?? row) : { ...row, isKept: true as const },
      );
      const rest = { ...state, request, rows: waiting, isRunning: true, isKept: false, isCancelled: false, seconds: 0 };
      const indexes = left.map(({ index }) => index);
      measureRows(rest, keepsResults ? startRun(false, indexes) : undefined);
    },
    /** Follows the run of a list, or displays the results that the tab or the service has, or else measures the list. */
    open(request: PageRequest, remembered: BatchMemory | undefined, run: PageRun | undefined) {
      if (run) return resume(request, remembered ?? [], run);
      const signal = stage.begin(request, () => lists.open(request, remembered, run));
      const options = optionsOf(signal);
      const state = { ...toState(request, startRows(request.urls)), isKept: true };
      if (!remembered && !keepsResults) return lists.measure(request, false);
      follow(state, signal, onRow => readBatch(request, remembered, onRow, options)).catch(throwUnlessAborted(signal));
    },
    cancel(): void {
      atWork?.draw();
      stage.cancel();
      end({ isCancelled: true });
    },
  };
  return lists;
}
