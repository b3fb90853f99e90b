import { setTimeout } from 'node:timers/promises';
import type { QueueAddOptions } from 'p-queue';
import PQueue from 'p-queue';
import { shuttingDown } from '../../contract/errors.ts';
import { createFairQueue, type Queued } from '../fair-queue.ts';
import type { BackOff } from './back-off.ts';

type Run = () => Promise<unknown>;

/** How a call is added: under an id of its own, by which it can be removed. */
type FairOptions = QueueAddOptions & Queued & { readonly id: string };
type QueuedRun = Queued & { readonly id: string; readonly run: Run };

/** The order of a p-queue in which clients take turns, in place of its own by priority. The names are p-queue's. */
class FairOrder {
  readonly #queue = createFairQueue<QueuedRun>();
  readonly #byId = new Map<string, QueuedRun>();

  get size(): number {
    return this.#queue.size;
  }

  enqueue(run: Run, { id = '', client = '', rank = 0, isBatch }: Partial<FairOptions> = {}): void {
    const item = { run, id, client, rank, isBatch };
    this.#byId.set(id, item);
    this.#queue.add(item);
  }

  dequeue(): Run | undefined {
    const item = this.#queue.take();
    if (item) this.#byId.delete(item.id);
    return item?.run;
  }

  remove(id: string): void {
    const item = this.#byId.get(id);
    if (item) this.#queue.remove(item);
    this.#byId.delete(id);
  }

  filter(): Run[] {
    return this.#queue.inOrder().map(({ run }) => run);
  }

  setPriority(): never {
    throw new Error('no call has a priority');
  }
}

/** Next to what one instance may do at once: what all of them together may. */

type Pass = { leave(): void };

export type CallGate = {
  /** Waits until a call may go out. @throws the signal's reason */
  enter(signal: AbortSignal): Promise<Pass>;
};

const free: Pass = { leave: () => {} };

/** The gate of an instance that has no others next to it. */
const noGate: CallGate = { enter: async () => free };

/** The limits of the remote analyser, counted over instances. */
export type SharedLimits = {
  /** @param name tells this analyser from others */
  createGate(name: string, limits: { concurrency: number; ratePerMinute: number }): CallGate;
};

export type CallQueueSettings = {
  concurrency: number;
  /** Calls that may go out in any minute; Infinity: no limit. */
  ratePerMinute: number;
  /** How long one analysis waits in all while the analyser, or its origin, is backed off from. */
  maxWaitMs: number;
  backOff: BackOff;
  /** What other instances leave of the limits. */
  gate?: CallGate | undefined;
};

/** What to call for, and for whom: clients take turns, and all without a name are one. */
type Wanted = {
  origin: string;
  client: string | undefined;
  /** One page of many. */
  isBatch?: boolean | undefined;
  signal: AbortSignal;
};

/** One analysis in the queue. It keeps its rank among those of its client through all its retries. */
export type QueuedCall = Queued & {
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Spent waiting while calls were blocked. */
  waitedMs: number;
};

export type CallQueue = {
  /** Gives an analysis its rank. */
  register(wanted: Wanted): QueuedCall;
  /**
   * Makes a call when its turn has come and nothing says that it should not go out.
   * @throws what the call throws; the reason of its signal; AnalysisError when it should not go out for longer
   *   than a client can be made to wait
   */
  run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T>;
  /** Removes the calls that should not go out any more: those behind must not wait for them. */
  review(): void;
  /** Refuses every call that has not started with `shutting_down`. Calls that run are left alone. */
  close(): void;
};

const minuteMs = 60_000;
const removed = Symbol('removed from the queue');

const toRate = (ratePerMinute: number) =>
  Number.isFinite(ratePerMinute) ? { intervalCap: ratePerMinute, interval: minuteMs, strict: true } : {};

/** So many calls at once, and so many a minute; clients take turns. */
export function createCallQueue({
  concurrency,
  ratePerMinute,
  maxWaitMs,
  backOff,
  gate = noGate,
}: CallQueueSettings): CallQueue {
  const queue = new PQueue<FairOrder, FairOptions>({ concurrency, queueClass: FairOrder, ...toRate(ratePerMinute) });
  const removals = new Map<QueuedCall, AbortController>();
  const closing = new AbortController();
  let registered = 0;

  async function waitUntilAllowed(queued: QueuedCall): Promise<void> {
    for (;;) {
      const block = backOff.blockOf(queued.origin, queued);
      if (!block) return;
      if (!block.isWorthWaiting || queued.waitedMs + block.ms > maxWaitMs) throw block.error;
      queued.waitedMs += block.ms;
      const signal = AbortSignal.any([queued.signal, closing.signal]);
      await setTimeout(block.ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Settles as the call does, or with `removed` when it was not started. */
  async function enqueue<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T | typeof removed> {
    const { client, rank, isBatch } = queued;
    closing.signal.throwIfAborted();
    const removal = new AbortController();
    removals.set(queued, removal);
    const signal = AbortSignal.any([queued.signal, removal.signal]);
    const begin = async () => {
      const pass = await gate.enter(signal);
      // The pass may arrive in the moment in which the queue closes.
      if (closing.signal.aborted) pass.leave();
      closing.signal.throwIfAborted();
      // From here on only the client can cancel it.
      removals.delete(queued);
      try {
        return await call();
      } finally {
        pass.leave();
      }
    };
    try {
      return await queue.add(begin, { signal, client, rank, isBatch, id: `${rank}` });
    } catch (error) {
      if (error === removed) return removed;
      throw error;
    } finally {
      removals.delete(queued);
    }
  }

  async function run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T> {
    for (;;) {
      await waitUntilAllowed(queued);
      const ended = await enqueue(queued, call);
      if (ended !== removed) return ended as T;
    }
  }

  return {
    register: ({ origin, client = '', isBatch, signal }) => ({
      origin,
      client,
      isBatch,
      signal,
      rank: registered++,
      waitedMs: 0,
    }),
    async run(queued, call) {
      try {
        return await run(queued, call);
      } catch (error) {
        queued.signal.throwIfAborted();
        throw error;
      } finally {
        backOff.release(queued);
      }
    },
    review() {
      for (const [queued, removal] of removals) if (backOff.blockOf(queued.origin, queued)) removal.abort(removed);
    },
    close() {
      const reason = shuttingDown();
      closing.abort(reason);
      for (const removal of removals.values()) removal.abort(reason);
    },
  };
}
