/** One run after another: starts it, shows its progress, cancels it, and remembers its end. */
import { isSendableKey } from '../../client/api-key.ts';
import type { AskOptions } from '../../client/ask-service.ts';
import { type HistoryRequest, readHistories, toPageRequest } from '../../client/history.ts';
import { idsOf, readKept, readWhole } from '../../client/kept-result.ts';
import type { PageRequest } from '../../client/page-request.ts';
import { type LaneState, sayStep } from '../../client/progress.ts';
import { endRows, type Row, runBatch, startRows } from '../../client/run-batch.ts';
import { runPage } from '../../client/run-page.ts';
import { type FailureReason, wantsKey } from '../../presentation/failure-reason.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { type Look, noLook } from '../views/look.ts';
import { keepApiKey, readApiKey } from './api-key.ts';
import { asGiven, wholeList, worstFirst } from './batch-table.ts';
import { type BatchState, sayBatch } from './batch-view.ts';
import type { HistoryState } from './history-view.ts';
import { type Actions, lookKey, type View } from './view.ts';

export type Screen = {
  show(view: View, actions: Actions): void;
  /** For screen readers. */
  announce(words: string): void;
  /** A request was answered, and the answer is kept: the address bar can lead to it. */
  keep(request: PageRequest, ids: readonly string[]): void;
  /** A run is over: moves the focus to its result. */
  settle(): void;
};

export type Session = {
  /** Starts a run; cancels the one before it. */
  run(request: PageRequest, options?: { fresh: boolean }): void;
  /** Shows the result that a request had in this tab, or runs it. */
  recall(request: PageRequest, ids: readonly string[]): void;
  /** Shows how a page developed. */
  history(asked: HistoryRequest): void;
  /** Shows results that the service keeps. */
  open(request: PageRequest, ids: readonly string[]): void;
};

const maxRemembered = 10;

const sayLanes = (lanes: readonly LaneState[], names: SideNames): string =>
  lanes
    .filter(({ isReported }) => isReported)
    .map(lane => `${names[lane.source].short}, ${lane.strategy}: ${sayStep(lane)}`)
    .join('. ');

/** @param names of the sides, as the service is configured */
export function createSession(screen: Screen, names: SideNames): Session {
  let running: AbortController | undefined;
  let clock: number | undefined;
  let view: View | undefined;
  let latest: PageRequest | undefined;
  /** What is done again once the key is there. */
  let resume = (): void => {};
  const remembered = new Map<string, View>();

  const show = (next: View): void => {
    view = next;
    screen.show(next, actions);
  };
  const changeBatch = (change: (state: BatchState) => Partial<BatchState>): void => {
    if (view?.kind === 'batch') show({ kind: 'batch', state: { ...view.state, ...change(view.state) } });
  };
  const changeLook = (key: string, change: Partial<Look>): void => {
    if (view?.kind !== 'result') return;
    show({ ...view, looks: { ...view.looks, [key]: { ...noLook, ...view.looks[key], ...change } } });
  };
  const stopClock = (): void => clearInterval(clock);

  /** Ends a run with its last view. */
  const settle = (request: PageRequest, last: View, words: string): void => {
    stopClock();
    running = undefined;
    show(last);
    if (last.kind === 'result' || last.kind === 'batch') remember(request, last);
    screen.announce(words);
    screen.settle();
  };
  const remember = (request: PageRequest, last: View): void => {
    const key = JSON.stringify(request);
    remembered.delete(key);
    remembered.set(key, last);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  };

  const settleFailure = (request: PageRequest, failure: FailureReason): void => {
    if (wantsKey(failure)) {
      const fault = readApiKey() === undefined ? undefined : 'refused';
      keepApiKey(undefined);
      settle(request, { kind: 'key', request, fault }, 'This service requires a key.');
    } else settle(request, { kind: 'failed', request, failure }, 'The measurement failed.');
  };

  const runOne = async (request: PageRequest, url: string, seconds: () => number, options: AskOptions) => {
    const { urls: _, ...wanted } = request;
    const onLanes = (lanes: readonly LaneState[]): void => {
      if (options.signal.aborted) return;
      show({ kind: 'running', request, lanes, seconds: seconds() });
      screen.announce(sayLanes(lanes, names));
    };
    const outcome = await runPage({ ...wanted, url, detailed: true }, onLanes, options);
    if (options.signal.aborted) return;
    if (!outcome.ok) return settleFailure(request, outcome.failure);
    const { answer, bodies } = outcome;
    screen.keep(request, idsOf(bodies));
    settle(request, { kind: 'result', request, answer, bodies, looks: {} }, 'The result is ready.');
  };

  const runMany = async (request: PageRequest, options: AskOptions) => {
    const onRow = (row: Row): void => {
      if (options.signal.aborted) return;
      changeBatch(({ rows }) => ({ rows: rows.map(known => (known.index === row.index ? row : known)) }));
    };
    const failure = await runBatch(request, onRow, options);
    if (options.signal.aborted) return;
    if (failure && wantsKey(failure)) return settleFailure(request, failure);
    if (view?.kind === 'batch') endBatch(view.state, failure ? { failure } : {});
  };
  const endBatch = (state: BatchState, change: Partial<BatchState>): void => {
    const sorting = state.sorting === asGiven ? worstFirst(state.request) : state.sorting;
    const last: BatchState = { ...state, ...change, sorting, rows: endRows(state.rows), isRunning: false };
    settle(
      state.request,
      { kind: 'batch', state: last },
      `${last.isCancelled ? 'Cancelled' : 'Finished'}: ${sayBatch(last.rows)}.`,
    );
  };

  const toFirstView = (request: PageRequest): View => {
    if (request.urls.length < 2) return { kind: 'running', request, lanes: [], seconds: 0 };
    const rows = startRows(request.urls);
    const state = {
      request,
      rows,
      isRunning: true,
      isCancelled: false,
      sorting: asGiven,
      filter: wholeList,
      opened: new Set<string>(),
      seconds: 0,
    };
    return { kind: 'batch', state };
  };

  /** Ends what runs, for this request. */
  const begin = (request: PageRequest, again: () => void): AbortSignal => {
    resume = again;
    running?.abort();
    stopClock();
    latest = request;
    running = new AbortController();
    return running.signal;
  };

  /** Cancelled, by the person or by the next run: what follows is shown already. */
  const throwUnlessAborted = (signal: AbortSignal) => (reason: unknown) => {
    if (!signal.aborted) throw reason;
  };

  const session: Session = {
    run(request, { fresh } = { fresh: false }) {
      const signal = begin(request, () => session.run(request));
      const startedAt = performance.now();
      const seconds = () => (performance.now() - startedAt) / 1000;
      clock = setInterval(() => {
        if (view?.kind === 'running') show({ ...view, seconds: seconds() });
        else changeBatch(() => ({ seconds: seconds() }));
      }, 1000);
      show(toFirstView(request));
      const options = { signal, fresh, apiKey: readApiKey() };
      const [url = ''] = request.urls;
      const run = request.urls.length > 1 ? runMany(request, options) : runOne(request, url, seconds, options);
      run.catch(throwUnlessAborted(signal));
    },
    open(request, ids) {
      const signal = begin(request, () => session.open(request, ids));
      show({ kind: 'loading', request });
      const options = { signal, apiKey: readApiKey() };
      const opened = readKept(ids, request, options).then(outcome => {
        if (signal.aborted) return;
        if (!outcome.ok) return settleFailure(request, outcome.failure);
        const { answer, bodies } = outcome;
        settle(request, { kind: 'result', request, answer, bodies, looks: {} }, 'The result is there.');
      });
      opened.catch(throwUnlessAborted(signal));
    },
    history(asked) {
      const request = toPageRequest(asked);
      const signal = begin(request, () => session.history(asked));
      const state: HistoryState = { asked, metric: 'performance' };
      show({ kind: 'history', request, state });
      const read = readHistories(asked, { signal, apiKey: readApiKey() }).then(outcome => {
        if (signal.aborted) return;
        if (!outcome.ok && wantsKey(outcome.failure)) return settleFailure(request, outcome.failure);
        const found = outcome.ok ? { histories: outcome.histories } : { failure: outcome.failure };
        const words = outcome.ok ? 'The history is there.' : 'The history could not be loaded.';
        settle(request, { kind: 'history', request, state: { ...state, ...found } }, words);
      });
      read.catch(throwUnlessAborted(signal));
    },
    recall(request, ids) {
      const known = remembered.get(JSON.stringify(request));
      if (!known) return ids.length > 0 ? session.open(request, ids) : session.run(request);
      running?.abort();
      settle(request, known, 'Shown again from before.');
      latest = request;
    },
  };

  const actions: Actions = {
    cancel() {
      running?.abort();
      if (view?.kind === 'batch') return endBatch(view.state, { isCancelled: true });
      if (latest) settle(latest, { kind: 'cancelled', request: latest }, 'Cancelled.');
    },
    again: () => latest && session.run(latest, { fresh: true }),
    filter: filter => changeBatch(() => ({ filter })),
    sort: sorting => changeBatch(() => ({ sorting })),
    toggle: line =>
      changeBatch(({ opened }) => {
        const next = new Set(opened);
        if (!next.delete(line)) next.add(line);
        return { opened: next };
      }),
    chooseMetric(metric) {
      if (view?.kind === 'history') show({ ...view, state: { ...view.state, metric } });
    },
    look: changeLook,
    load(result) {
      if (view?.kind !== 'result' || !result.id || result.lighthouse_result) return;
      const key = lookKey(result);
      if (['loading', 'ready'].includes(view.looks[key]?.state ?? 'none')) return;
      const { answer } = view;
      const isShown = () => view?.kind === 'result' && view.answer === answer;
      changeLook(key, { state: 'loading' });
      const { signal } = new AbortController();
      readWhole(result.id, { signal, apiKey: readApiKey() }).then(read => {
        if (!isShown()) return;
        changeLook(key, read.ok ? { state: 'ready', whole: read.whole } : { state: 'failed', failure: read.failure });
        screen.announce(read.ok ? 'The details are there.' : 'The details could not be loaded.');
      });
    },
    useKey(key) {
      if (!latest) return;
      if (isSendableKey(key)) {
        keepApiKey(key);
        return resume();
      }
      show({ kind: 'key', request: latest, fault: 'impossible' });
      screen.announce('That cannot be a key.');
    },
  };
  return session;
}
