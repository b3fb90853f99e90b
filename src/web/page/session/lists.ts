/** Measures, displays and continues lists of pages. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import { endRows, hasEnded, type Row, runBatch, startRows, unmeasuredOf } from '../../../api-client/run-batch.ts';
import { type BatchMemory, findBatch, readBatch, rememberRow } from '../../../api-client/stored/kept-batch.ts';
import { type FailureReason, wantsKey } from '../../../presentation/errors-in-words.ts';
import { type BatchState, linesAtOnce } from '../batch/batch-state.ts';
import { asGiven, wholeList, worstFirst } from '../batch/batch-table.ts';
import { sayBatch } from '../batch/batch-words.ts';
import { optionsOf, type SessionStage, throwUnlessAborted } from './current-view.ts';
import { isOfRun, type PageRun, secondsOf, startRun } from './run.ts';

/* Combines row changes in quick succession into one redraw, and remembers the progress of the list. */

type BatchChange = (state: BatchState) => Partial<BatchState>;

export const changeBatch = (stage: SessionStage, change: BatchChange): void => stage.changeState('batch', change);

/** Stores the state in the tab's history. */
const rememberBatch = ({ screen }: SessionStage, { request, rows }: BatchState, run?: PageRun): void =>
  screen.remember(request, { batch: rows.map(rememberRow), run });

const drawEveryMs = 50;

type ListRows = {
  add(row: Row): void;
  /** Draws pending changes. */
  draw(): void;
};

function createListRows(stage: SessionStage, signal: AbortSignal): ListRows {
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

export type Lists = {
  /** Measures every page. */
  measure(request: PageRequest, fresh: boolean): void;
  /** Measures the pages without a result. */
  measureRest(): void;
  /** Follows the run of a list, or displays the results that the tab or the service has, or else measures the list. */
  open(request: PageRequest, memory: BatchMemory | undefined, run: PageRun | undefined): void;
  cancel(): void;
};

type ListWork = (onRow: (row: Row) => void, signal: AbortSignal) => Promise<FailureReason | undefined>;

/** @param keepsResults whether the service stores results, including screenshots */
export function createLists(stage: SessionStage, keepsResults: boolean): Lists {
  let atWork: ListRows | undefined;

  const end = (change: Partial<BatchState>): void => {
    const view = stage.view();
    if (view?.kind !== 'batch') return;
    const { state } = view;
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
      const view = stage.view();
      if (view?.kind !== 'batch' || view.state.rows === known || state.isKept) return;
      known = view.state.rows;
      rememberBatch(stage, view.state, run);
    });
    const failure = await work(rows.add, signal);
    if (signal.aborted) return;
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

  const lists: Lists = {
    measure(request, fresh) {
      measureRows(toState(request, startRows(request.urls)), keepsResults ? startRun(fresh) : undefined, fresh);
    },
    measureRest() {
      const view = stage.view();
      if (view?.kind !== 'batch') return;
      const { request, rows, failure: _, ...state } = view.state;
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
    open(request, remembered, run) {
      if (run) return resume(request, remembered ?? [], run);
      const signal = stage.begin(request, () => lists.open(request, remembered, run));
      const options = optionsOf(signal);
      const state = { ...toState(request, startRows(request.urls)), isKept: true };
      const read = (memory: BatchMemory): Promise<void> =>
        follow(state, signal, onRow => readBatch(request, memory, onRow, options));
      const find = async (): Promise<void> => {
        if (remembered) return read(remembered);
        if (!keepsResults) return lists.measure(request, false);
        stage.show({ kind: 'batch', state });
        const found = await findBatch(request, options);
        if (signal.aborted) return;
        if ('failure' in found) return stage.settleFailure(request, found.failure);
        if (found.memory) return read(found.memory);
        lists.measure(request, false);
      };
      find().catch(throwUnlessAborted(signal));
    },
    cancel() {
      atWork?.draw();
      stage.cancel();
      end({ isCancelled: true });
    },
  };
  return lists;
}
