/** One run after another: starts it, shows how far it is, ends it, and remembers what it came to. */
import { isSendableKey } from '../api-key.ts';
import type { AskOptions } from '../ask-service.ts';
import { worstFirst } from '../batch-table.ts';
import type { PageRequest } from '../page-request.ts';
import { type LaneState, sayStep } from '../progress.ts';
import { endRows, type Row, runBatch, startRows } from '../run-batch.ts';
import { runPage } from '../run-page.ts';
import { type Trouble, wantsKey } from '../trouble.ts';
import { keepApiKey, readApiKey } from './api-key.ts';
import { type BatchState, sayBatch } from './batch-view.ts';
import type { Actions, View } from './view.ts';

export type Screen = {
  show(view: View, actions: Actions): void;
  /** Said to who does not see the page. */
  tell(words: string): void;
  /** A run is over: where the reading goes on. */
  settle(): void;
};

export type Session = {
  /** Starts a run; one that is under way is ended. */
  run(request: PageRequest, options?: { fresh: boolean }): void;
  /** Shows what a request came to in this tab, or runs it. */
  recall(request: PageRequest): void;
};

const maxRemembered = 10;

const sayLanes = (lanes: readonly LaneState[]): string =>
  lanes
    .filter(({ isTold }) => isTold)
    .map(lane => `${lane.source === 'psi' ? 'Remote' : 'Local'}, ${lane.strategy}: ${sayStep(lane)}`)
    .join('. ');

export function createSession(screen: Screen): Session {
  let running: AbortController | undefined;
  let clock: number | undefined;
  let view: View | undefined;
  let latest: PageRequest | undefined;
  const remembered = new Map<string, View>();

  const show = (next: View): void => {
    view = next;
    screen.show(next, actions);
  };
  const changeBatch = (change: (state: BatchState) => Partial<BatchState>): void => {
    if (view?.kind === 'batch') show({ kind: 'batch', state: { ...view.state, ...change(view.state) } });
  };
  const stopClock = (): void => clearInterval(clock);

  /** Ends a run with its last view. */
  const settle = (request: PageRequest, last: View, words: string): void => {
    stopClock();
    running = undefined;
    show(last);
    if (last.kind === 'result' || last.kind === 'batch') remember(request, last);
    screen.tell(words);
    screen.settle();
  };
  const remember = (request: PageRequest, last: View): void => {
    const key = JSON.stringify(request);
    remembered.delete(key);
    remembered.set(key, last);
    const [oldest] = remembered.keys();
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest);
  };

  const settleTrouble = (request: PageRequest, trouble: Trouble): void => {
    if (wantsKey(trouble)) {
      const fault = readApiKey() === undefined ? undefined : 'refused';
      keepApiKey(undefined);
      settle(request, { kind: 'key', request, fault }, 'This service asks for a key.');
    } else settle(request, { kind: 'trouble', request, trouble }, 'The measurement failed.');
  };

  const runOne = async (request: PageRequest, url: string, seconds: () => number, options: AskOptions) => {
    const { urls: _, ...wanted } = request;
    const onLanes = (lanes: readonly LaneState[]): void => {
      if (options.signal.aborted) return;
      show({ kind: 'waiting', request, lanes, seconds: seconds() });
      screen.tell(sayLanes(lanes));
    };
    const outcome = await runPage({ ...wanted, url, detailed: true }, onLanes, options);
    if (options.signal.aborted) return;
    if (!outcome.ok) return settleTrouble(request, outcome.trouble);
    const { result, bodies } = outcome;
    settle(request, { kind: 'result', request, result, bodies }, 'The result is there.');
  };

  const runMany = async (request: PageRequest, options: AskOptions) => {
    const onRow = (row: Row): void => {
      if (options.signal.aborted) return;
      changeBatch(({ rows }) => ({ rows: rows.map(known => (known.index === row.index ? row : known)) }));
    };
    const trouble = await runBatch(request, onRow, options);
    if (options.signal.aborted) return;
    if (trouble && wantsKey(trouble)) return settleTrouble(request, trouble);
    if (view?.kind === 'batch') endBatch(view.state, trouble ? { trouble } : {});
  };
  const endBatch = (state: BatchState, change: Partial<BatchState>): void => {
    const last: BatchState = { ...state, ...change, rows: endRows(state.rows), isRunning: false };
    settle(
      state.request,
      { kind: 'batch', state: last },
      `${last.isStopped ? 'Stopped' : 'Finished'}: ${sayBatch(last.rows)}.`,
    );
  };

  const toFirstView = (request: PageRequest): View => {
    if (request.urls.length < 2) return { kind: 'waiting', request, lanes: [], seconds: 0 };
    const rows = startRows(request.urls);
    const sorting = worstFirst(request);
    const state = { request, rows, isRunning: true, isStopped: false, sorting, opened: new Set<string>(), seconds: 0 };
    return { kind: 'batch', state };
  };

  const session: Session = {
    run(request, { fresh } = { fresh: false }) {
      running?.abort();
      stopClock();
      latest = request;
      running = new AbortController();
      const { signal } = running;
      const startedAt = performance.now();
      const seconds = () => (performance.now() - startedAt) / 1000;
      clock = setInterval(() => {
        if (view?.kind === 'waiting') show({ ...view, seconds: seconds() });
        else changeBatch(() => ({ seconds: seconds() }));
      }, 1000);
      show(toFirstView(request));
      const options = { signal, fresh, apiKey: readApiKey() };
      const [url = ''] = request.urls;
      const run = request.urls.length > 1 ? runMany(request, options) : runOne(request, url, seconds, options);
      run.catch(reason => {
        // Ended by the person or by the next run: whoever did it has shown what follows.
        if (!signal.aborted) throw reason;
      });
    },
    recall(request) {
      const known = remembered.get(JSON.stringify(request));
      if (!known) return session.run(request);
      running?.abort();
      settle(request, known, 'Shown again from before.');
      latest = request;
    },
  };

  const actions: Actions = {
    cancel() {
      running?.abort();
      if (view?.kind === 'batch') return endBatch(view.state, { isStopped: true });
      if (latest) settle(latest, { kind: 'stopped', request: latest }, 'Stopped.');
    },
    again: () => latest && session.run(latest, { fresh: true }),
    sort: sorting => changeBatch(() => ({ sorting })),
    toggle: line =>
      changeBatch(({ opened }) => {
        const next = new Set(opened);
        if (!next.delete(line)) next.add(line);
        return { opened: next };
      }),
    useKey(key) {
      if (!latest) return;
      if (isSendableKey(key)) {
        keepApiKey(key);
        return session.run(latest);
      }
      show({ kind: 'key', request: latest, fault: 'impossible' });
      screen.tell('That cannot be a key.');
    },
  };
  return session;
}
