/** The displayed view, and the current request. */
import type { ReadBody } from '../../../api-client/ask-json.ts';
import type { AskOptions } from '../../../api-client/ask-service.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { BatchMemory } from '../../../api-client/stored/kept-batch.ts';
import { type FailureReason, wantsKey } from '../../../presentation/errors-in-words.ts';
import { keepApiKey, readApiKey } from '../api-key.ts';
import type { View, ViewOf } from '../view.ts';
import type { Actions } from './actions.ts';
import { createRecall } from './recall.ts';
import type { PageRun } from './run.ts';

type StateKind = Extract<View, { state: unknown }>['kind'];
type StateOf<K extends StateKind> = ViewOf<K>['state'];

/** Connects a session with its window. */
export type PageScreen = {
  show(view: View, actions: Actions): void;
  /** Announces text to screen readers. */
  announce(words: string): void;
  /** Stores the results of a request: the URL can link to them. */
  keep(request: PageRequest, ids: readonly string[]): void;
  /** Stores the state of a request in the tab's history: the current run, and the state of a list. */
  remember(request: PageRequest, entry: { run?: PageRun | undefined; batch?: BatchMemory }): void;
  /** Records that the user cancelled a request, so that a reload does not start it again. */
  stay(request: PageRequest): void;
  /** Sets the URL and the page of the displayed view, once they are known. */
  lead(address: string, request: PageRequest, ids?: readonly string[]): void;
  /** Measures a list of pages from a sitemap with the options of the form. */
  measureList(urls: readonly string[]): void;
  /** Moves the focus to the result when a run has ended. */
  settle(): void;
};

export type SessionStage = ReturnType<typeof createStage>;

/** Ignores an abort by the user or the next request, whose view is already displayed. */
export const throwUnlessAborted = (signal: AbortSignal) => (reason: unknown) => {
  if (!signal.aborted) throw reason;
};

/** Options of a request with the key of the tab. @param signal by default, the request is never aborted */
export const optionsOf = (signal = new AbortController().signal): AskOptions => ({ signal, apiKey: readApiKey() });

type Opening<T> = {
  readonly request: PageRequest;
  /** View until the data arrive; undefined leaves the page as it is. */
  readonly first: View | undefined;
  readonly read: (options: AskOptions) => Promise<ReadBody<T>>;
  /** Displays the data or the failure, unless the service wants a key. */
  readonly settle: (read: ReadBody<T>, options: AskOptions) => Promise<void> | void;
};

/** Opens a view without a measurement. A missing key is asked for, and the view is opened again. */
export function openView<T>(stage: SessionStage, opening: Opening<T>): void {
  const { request, first, settle } = opening;
  const signal = stage.begin(request, () => openView(stage, opening));
  if (first) stage.show(first);
  const options = optionsOf(signal);
  const open = async (): Promise<void> => {
    const read = await opening.read(options);
    if (signal.aborted) return;
    if (!read.ok && wantsKey(read.failure)) return stage.settleFailure(request, read.failure);
    await settle(read, options);
  };
  open().catch(throwUnlessAborted(signal));
}

/** @param draw displays a view with its actions */
export function createStage(screen: PageScreen, draw: (view: View) => void) {
  let view: View | undefined;
  let running: AbortController | undefined;
  let latest: PageRequest | undefined;
  let clock: number | undefined;
  let resume = (): void => {};
  const recall = createRecall();

  const stage = {
    screen,
    view: (): View | undefined => view,
    /** Returns the view if it has this kind. */
    viewOf: <K extends View['kind']>(kind: K): ViewOf<K> | undefined =>
      view?.kind === kind ? (view as ViewOf<K>) : undefined,
    /** Returns the current request, or the last one. */
    request: () => latest,
    /** Repeats the current work, now with a key. */
    resume: () => resume(),
    /** Returns the view that a request had in this tab. */
    recall: recall.of,
    show(next: View): void {
      view = next;
      draw(next);
    },
    /** Changes the view if it still has this kind. */
    change<K extends View['kind']>(kind: K, change: (view: ViewOf<K>) => ViewOf<K>): void {
      const known = stage.viewOf(kind);
      if (known) stage.show(change(known));
    },
    /** Changes parts of the state of the view if it still has this kind. */
    changeState<K extends StateKind>(kind: K, change: (state: StateOf<K>) => Partial<StateOf<K>>): void {
      if (view?.kind !== kind) return;
      const { state } = view as { state: unknown } as { state: StateOf<K> };
      stage.show({ ...view, state: { ...state, ...change(state) } } as View);
    },
    /** Cancels the current work and starts another request. @param again called once a key has been entered */
    begin(request: PageRequest, again: () => void): AbortSignal {
      resume = again;
      running?.abort();
      clearInterval(clock);
      latest = request;
      running = new AbortController();
      return running.signal;
    },
    /** Calls `act` every second until the request ends. */
    everySecond(act: () => void): void {
      clock = setInterval(act, 1000);
    },
    cancel: () => running?.abort(),
    /** Ends a request with its last view. */
    settle(request: PageRequest, last: View, words: string): void {
      clearInterval(clock);
      running = undefined;
      stage.show(last);
      recall.add(request, last);
      screen.announce(words);
      screen.settle();
    },
    settleFailure(request: PageRequest, failure: FailureReason): void {
      if (wantsKey(failure)) {
        const fault = readApiKey() === undefined ? undefined : 'refused';
        keepApiKey(undefined);
        stage.settle(request, { kind: 'key', request, fault }, 'This service requires a key.');
      } else stage.settle(request, { kind: 'failed', request, failure }, 'The measurement failed.');
    },
  };
  return stage;
}
