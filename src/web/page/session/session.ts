/** One run after another: starts it, shows its progress, cancels it, and remembers its end. */
import { isSendableKey } from '../../../client/api-key.ts';
import type { AskOptions } from '../../../client/ask-service.ts';
import { type ChangeRequest, findChange, toChangeAddress, toMeasured } from '../../../client/change.ts';
import { type HistoryRequest, readHistories, toPageRequest } from '../../../client/history.ts';
import { idsOf, readKept, readWhole } from '../../../client/kept-result.ts';
import type { PageRequest } from '../../../client/page-request.ts';
import { type LaneState, sayStep } from '../../../client/progress.ts';
import { endRows, type Row, runBatch, startRows } from '../../../client/run-batch.ts';
import { runPage } from '../../../client/run-page.ts';
import { readSitemap, type SitemapRequest } from '../../../client/sitemap.ts';
import { type Answer, columnsOf } from '../../../presentation/answer.ts';
import { type FailureReason, wantsKey } from '../../../presentation/failure-reason.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { type Look, noLook } from '../../views/looking/look.ts';
import { asGiven, wholeList, worstFirst } from '../batch/batch-table.ts';
import { type BatchState, linesAtOnce, sayBatch } from '../batch/batch-view.ts';
import type { ChangeNote } from '../change/change-note.ts';
import type { ChangeState } from '../change/change-view.ts';
import type { SitemapState } from '../form/sitemap-view.ts';
import { type HistoryState, toMarked } from '../history/history-view.ts';
import { keepApiKey, readApiKey } from '../key/api-key.ts';
import { type Actions, lookKey, type View } from '../outcome-view.ts';

export type Screen = {
  show(view: View, actions: Actions): void;
  /** For screen readers. */
  announce(words: string): void;
  /** A request was answered, and the answer is kept: the address bar can lead to it. */
  keep(request: PageRequest, ids: readonly string[]): void;
  /** What is shown turned out to have this address, and to be of this page. */
  lead(address: string, request: PageRequest): void;
  /** A list was chosen from a sitemap: measures it with what the form says. */
  measureList(urls: readonly string[]): void;
  /** A run is over: moves the focus to its result. */
  settle(): void;
};

export type Session = {
  /** Starts a run; cancels the one before it. */
  run(request: PageRequest, options?: { fresh: boolean; earlier?: Answer | undefined }): void;
  /** Shows the result that a request had in this tab, or runs it. */
  recall(request: PageRequest, ids: readonly string[]): void;
  /** Shows how a page developed. */
  history(asked: HistoryRequest): void;
  /** Shows what changed between two kept results. */
  change(asked: ChangeRequest): void;
  /** Shows the pages that a site names, to start a list with. */
  sitemap(asked: SitemapRequest): void;
  /** Shows results that the service keeps. */
  open(request: PageRequest, ids: readonly string[]): void;
};

const maxRemembered = 10;

/** What is compared after a page was measured again: each part that is kept with the same part of before. */
function toNotes(earlier: Answer, answer: Answer): ChangeNote[] {
  const columns = columnsOf(answer);
  const known = columnsOf(earlier);
  return columns.flatMap(({ source, strategy, part }) => {
    const same = known.find(column => column.source === source && column.strategy === strategy)?.part;
    const [before, after] = [same, part].map(side => (side?.ok ? side.result.id : undefined));
    if (!before || !after || before === after) return [];
    return [{ before, after, source, strategy, isOneOfMany: columns.length > 1 }];
  });
}

const sayLanes = (lanes: readonly LaneState[], names: SideNames): string =>
  lanes
    .filter(({ isReported }) => isReported)
    .map(lane => `${names[lane.source].short}, ${lane.strategy}: ${sayStep(lane)}`)
    .join('. ');

/** Rows that change close together are drawn together. */
const drawRowsMs = 50;

/**
 * @param names of the sides, as the service is configured
 * @param keepsPictures whether pictures of pages can be reached without a key
 */
export function createSession(screen: Screen, names: SideNames, keepsPictures: boolean): Session {
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

  /** Fills in each note as it is known. */
  const compareWithEarlier = (shown: Answer, notes: readonly ChangeNote[], options: AskOptions): void => {
    for (const { before, after } of notes)
      findChange({ before, after }, options).then(outcome => {
        if (view?.kind !== 'result' || view.answer !== shown) return;
        show({ ...view, notes: view.notes?.map(note => (note.after === after ? { ...note, outcome } : note)) ?? [] });
        if (outcome.kind === 'found') screen.announce(outcome.change.verdict.explanation);
      }, throwUnlessAborted(options.signal));
  };

  type RunOptions = AskOptions & { seconds: () => number; earlier: Answer | undefined };
  const runOne = async (request: PageRequest, url: string, { seconds, earlier, ...options }: RunOptions) => {
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
    const notes = earlier ? toNotes(earlier, answer) : [];
    const compared = notes.length > 0 ? { notes } : {};
    settle(request, { kind: 'result', request, answer, bodies, looks: {}, ...compared }, 'The result is ready.');
    compareWithEarlier(answer, notes, options);
  };

  const changedRows = new Map<number, Row>();
  let drawing: number | undefined;
  const drawRows = (): void => {
    clearTimeout(drawing);
    drawing = undefined;
    if (changedRows.size > 0)
      changeBatch(({ rows }) => ({ rows: rows.map(known => changedRows.get(known.index) ?? known) }));
    changedRows.clear();
  };

  const runMany = async (request: PageRequest, options: AskOptions) => {
    const onRow = (row: Row): void => {
      if (options.signal.aborted) return;
      changedRows.set(row.index, row);
      drawing ??= setTimeout(drawRows, drawRowsMs);
    };
    const failure = await runBatch(request, onRow, options);
    if (options.signal.aborted) return;
    if (failure && wantsKey(failure)) return settleFailure(request, failure);
    drawRows();
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
      shown: linesAtOnce,
      hasPictures: keepsPictures && readApiKey() === undefined,
    };
    return { kind: 'batch', state };
  };

  /** Ends what runs, for this request. */
  const begin = (request: PageRequest, again: () => void): AbortSignal => {
    resume = again;
    running?.abort();
    changedRows.clear();
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
    run(request, { fresh, earlier } = { fresh: false }) {
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
      const run =
        request.urls.length > 1 ? runMany(request, options) : runOne(request, url, { ...options, seconds, earlier });
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
    change(asked) {
      const request = toMeasured(asked);
      const apiKey = readApiKey();
      const signal = begin(request, () => session.change(asked));
      const state: ChangeState = { asked, canLink: apiKey === undefined };
      show({ kind: 'change', request, state });
      const found = findChange(asked, { signal, apiKey }).then(outcome => {
        if (signal.aborted) return;
        if (outcome.kind === 'failed' && wantsKey(outcome.failure)) return settleFailure(request, outcome.failure);
        if (outcome.kind !== 'found') {
          const words = outcome.kind === 'failed' ? 'The results could not be compared.' : 'A result is missing.';
          return settle(request, { kind: 'change', request, state: { ...state, ...outcome } }, words);
        }
        const { change, asked: known } = outcome;
        const measured = toMeasured(change.after);
        screen.lead(toChangeAddress(known), measured);
        const last: View = { kind: 'change', request: measured, state: { ...state, asked: known, change } };
        settle(measured, last, change.verdict.explanation);
      });
      found.catch(throwUnlessAborted(signal));
    },
    sitemap(asked) {
      const { request } = asked;
      const [url = ''] = request.urls;
      const signal = begin(request, () => session.sitemap(asked));
      const state: SitemapState = { url, left: new Set(), search: '' };
      show({ kind: 'sitemap', request, state });
      const read = readSitemap(url, { signal, apiKey: readApiKey() }).then(outcome => {
        if (signal.aborted) return;
        if (!outcome.ok && wantsKey(outcome.failure)) return settleFailure(request, outcome.failure);
        const found = outcome.ok ? { sitemap: outcome.sitemap } : { failure: outcome.failure };
        const words = outcome.ok ? `${outcome.sitemap.urls.length} pages found.` : 'The sitemap could not be read.';
        settle(request, { kind: 'sitemap', request, state: { ...state, ...found } }, words);
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
      drawRows();
      running?.abort();
      if (view?.kind === 'batch') return endBatch(view.state, { isCancelled: true });
      if (latest) settle(latest, { kind: 'cancelled', request: latest }, 'Cancelled.');
    },
    again() {
      const earlier = view?.kind === 'result' ? view.answer : undefined;
      if (latest) session.run(latest, { fresh: true, earlier });
    },
    // What is looked for now is at the top: no more is drawn than at first, which keeps a long list quick.
    filter: filter => changeBatch(() => ({ filter, shown: linesAtOnce })),
    sort: sorting => changeBatch(() => ({ sorting, shown: linesAtOnce })),
    showMore: shown => changeBatch(() => ({ shown })),
    toggle: line =>
      changeBatch(({ opened }) => {
        const next = new Set(opened);
        if (!next.delete(line)) next.add(line);
        return { opened: next };
      }),
    chooseMetric(metric) {
      if (view?.kind === 'history') show({ ...view, state: { ...view.state, metric } });
    },
    changeSitemap(change) {
      if (view?.kind === 'sitemap') show({ ...view, state: { ...view.state, ...change } });
    },
    measureList: urls => screen.measureList(urls),
    mark(id) {
      if (view?.kind !== 'history') return;
      const { state } = view;
      show({ ...view, state: { ...state, marked: toMarked(state.marked ?? [], id) } });
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
