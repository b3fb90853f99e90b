/** Lists of pages: measured, shown again from what is kept, and gone on with. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import { endRows, type Row, runBatch, startRows, unmeasuredOf } from '../../../api-client/run-batch.ts';
import { type BatchMemory, findBatch, readBatch, rememberRow } from '../../../api-client/stored/kept-batch.ts';
import { type FailureReason, wantsKey } from '../../../presentation/failure-reason.ts';
import { type BatchState, linesAtOnce } from '../batch/batch-state.ts';
import { asGiven, wholeList, worstFirst } from '../batch/batch-table.ts';
import { sayBatch } from '../batch/batch-words.ts';
import { readApiKey } from '../key/api-key.ts';
import { type SessionStage, throwUnlessAborted } from './stage.ts';

/* Rows of a list that change close together are drawn together, and remembered as the list goes on. */

type BatchChange = (state: BatchState) => Partial<BatchState>;

export const changeBatch = (stage: SessionStage, change: BatchChange): void =>
  stage.change('batch', ({ kind, state }) => ({ kind, state: { ...state, ...change(state) } }));

/** The entry of the tab's history has it from here on. */
const rememberBatch = ({ screen }: SessionStage, { request, rows }: BatchState): void =>
  screen.remember(request, rows.map(rememberRow));

const drawEveryMs = 50;

type ListRows = {
  add(row: Row): void;
  /** Draws what has not been drawn yet. */
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
  /** Measures every page. @param onKey what is done once a key is there */
  measure(request: PageRequest, fresh: boolean, onKey: () => void): void;
  /** Measures the pages that have no result yet. */
  measureRest(): void;
  /** Shows what the tab remembers of a list, or what the service keeps of it; where there is neither, it is measured. */
  open(request: PageRequest, memory: BatchMemory | undefined): void;
  cancel(): void;
};

type Work = (onRow: (row: Row) => void, signal: AbortSignal) => Promise<FailureReason | undefined>;

/** @param keepsResults whether the service keeps results, and with them pictures */
export function createLists(stage: SessionStage, keepsResults: boolean): Lists {
  let atWork: ListRows | undefined;

  const end = (change: Partial<BatchState>): void => {
    const view = stage.view();
    if (view?.kind !== 'batch') return;
    const { state } = view;
    const sorting = state.sorting === asGiven ? worstFirst(state.request) : state.sorting;
    const last: BatchState = { ...state, ...change, sorting, rows: endRows(state.rows), isRunning: false };
    // What could not be read now may be there after a reload.
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

  /** From the first row to the last. */
  async function follow(state: BatchState, signal: AbortSignal, work: Work): Promise<void> {
    const startedAt = performance.now();
    const rows = createListRows(stage, signal);
    atWork = rows;
    stage.show({ kind: 'batch', state });
    if (!state.isKept) rememberBatch(stage, state);
    let known = state.rows;
    stage.everySecond(() => {
      changeBatch(stage, () => ({ seconds: (performance.now() - startedAt) / 1000 }));
      const view = stage.view();
      if (view?.kind !== 'batch' || view.state.rows === known || state.isKept) return;
      known = view.state.rows;
      rememberBatch(stage, view.state);
    });
    const failure = await work(rows.add, signal);
    if (signal.aborted) return;
    if (failure && wantsKey(failure)) return stage.settleFailure(state.request, failure);
    rows.draw();
    end(failure ? { failure } : {});
  }

  const lists: Lists = {
    measure(request, fresh, onKey) {
      const signal = stage.begin(request, onKey);
      const options = { signal, fresh, apiKey: readApiKey() };
      const followed = follow(toState(request, startRows(request.urls)), signal, onRow =>
        runBatch(request, onRow, options),
      );
      followed.catch(throwUnlessAborted(signal));
    },
    measureRest() {
      const view = stage.view();
      if (view?.kind !== 'batch') return;
      const { request, rows, failure: _, ...state } = view.state;
      const left = unmeasuredOf(rows);
      const signal = stage.begin(request, lists.measureRest);
      const options = { signal, apiKey: readApiKey() };
      const begun = startRows(request.urls);
      // The others were measured before this run: they say how old they are, and its time does not count for them.
      const waiting = rows.map(row =>
        left.includes(row) ? (begun[row.index] ?? row) : { ...row, isKept: true as const },
      );
      const urls = left.map(({ url }) => url);
      const onlyLeft: Work = onRow =>
        runBatch({ ...request, urls }, row => onRow({ ...row, index: left[row.index]?.index ?? row.index }), options);
      const rest = { ...state, request, rows: waiting, isRunning: true, isKept: false, isCancelled: false, seconds: 0 };
      follow(rest, signal, onlyLeft).catch(throwUnlessAborted(signal));
    },
    open(request, remembered) {
      const signal = stage.begin(request, () => lists.open(request, remembered));
      const options = { signal, apiKey: readApiKey() };
      const state = { ...toState(request, startRows(request.urls)), isKept: true };
      const read = (memory: BatchMemory): Promise<void> =>
        follow(state, signal, onRow => readBatch(request, memory, onRow, options));
      const find = async (): Promise<void> => {
        if (remembered) return read(remembered);
        if (!keepsResults) return lists.measure(request, false, () => lists.open(request, remembered));
        stage.show({ kind: 'batch', state });
        const found = await findBatch(request, options);
        if (signal.aborted) return;
        if ('failure' in found) return stage.settleFailure(request, found.failure);
        if (found.memory) return read(found.memory);
        lists.measure(request, false, () => lists.open(request, remembered));
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
