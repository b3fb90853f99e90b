/** What is shown, and the one request that is at work for it. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { BatchMemory } from '../../../api-client/stored/kept-batch.ts';
import { type FailureReason, wantsKey } from '../../../presentation/failure-reason.ts';
import { keepApiKey, readApiKey } from '../key/api-key.ts';
import type { Actions, View, ViewOf } from '../view.ts';
import { createRecall, type Kept } from './recall.ts';
import type { Run } from './run.ts';

/* What a session does with the window around it. */

export type Screen = {
  show(view: View, actions: Actions): void;
  /** For screen readers. */
  announce(words: string): void;
  /** A request was answered, and the answer is kept: the address bar can lead to it. */
  keep(request: PageRequest, ids: readonly string[]): void;
  /** What the tab's history holds of a request: the run that measures it now, and what a list has by now. */
  remember(request: PageRequest, entry: { run?: Run | undefined; batch?: BatchMemory }): void;
  /** A person cancelled a request: after a reload it stays cancelled. */
  stay(request: PageRequest): void;
  /** What is shown turned out to have this address, and to be of this page. */
  lead(address: string, request: PageRequest, ids?: readonly string[]): void;
  /** A list was chosen from a sitemap: measures it with what the form says. */
  measureList(urls: readonly string[]): void;
  /** A run is over: moves the focus to its result. */
  settle(): void;
};

export type SessionStage = {
  readonly screen: Screen;
  view(): View | undefined;
  show(view: View): void;
  /** Changes what is shown, where it is still of this kind. */
  change<K extends View['kind']>(kind: K, change: (view: ViewOf<K>) => ViewOf<K>): void;
  /** The request that is at work, or was the last one. */
  request(): PageRequest | undefined;
  /** Cancels what is at work and begins another request. @param again what is done once a key is there */
  begin(request: PageRequest, again: () => void): AbortSignal;
  /** Until the request ends. */
  everySecond(act: () => void): void;
  cancel(): void;
  /** Ends a request with its last view. */
  settle(request: PageRequest, last: View, words: string): void;
  settleFailure(request: PageRequest, failure: FailureReason): void;
  /** Does what was at work once more, now with a key. */
  resume(): void;
  /** What a request had in this tab. */
  recall(request: PageRequest, kept: Kept): View | undefined;
};

/** Cancelled, by the person or by the next request: what follows is shown already. */
export const throwUnlessAborted = (signal: AbortSignal) => (reason: unknown) => {
  if (!signal.aborted) throw reason;
};

/** @param draw shows a view with what can be done in it */
export function createStage(screen: Screen, draw: (view: View) => void): SessionStage {
  let view: View | undefined;
  let running: AbortController | undefined;
  let latest: PageRequest | undefined;
  let clock: number | undefined;
  let resume = (): void => {};
  const recall = createRecall();

  const stage: SessionStage = {
    screen,
    view: () => view,
    request: () => latest,
    resume: () => resume(),
    recall: recall.of,
    show(next) {
      view = next;
      draw(next);
    },
    change(kind, change) {
      if (view?.kind === kind) stage.show(change(view as Parameters<typeof change>[0]));
    },
    begin(request, again) {
      resume = again;
      running?.abort();
      clearInterval(clock);
      latest = request;
      running = new AbortController();
      return running.signal;
    },
    everySecond(act) {
      clock = setInterval(act, 1000);
    },
    cancel: () => running?.abort(),
    settle(request, last, words) {
      clearInterval(clock);
      running = undefined;
      stage.show(last);
      recall.add(request, last);
      screen.announce(words);
      screen.settle();
    },
    settleFailure(request, failure) {
      if (wantsKey(failure)) {
        const fault = readApiKey() === undefined ? undefined : 'refused';
        keepApiKey(undefined);
        stage.settle(request, { kind: 'key', request, fault }, 'This service requires a key.');
      } else stage.settle(request, { kind: 'failed', request, failure }, 'The measurement failed.');
    },
  };
  return stage;
}
