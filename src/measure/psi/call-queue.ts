import { setTimeout } from 'node:timers/promises';
import type { QueueAddOptions } from 'p-queue';
import PQueue from 'p-queue';
import { shuttingDown } from '../../contract/errors.ts';
import { createFairQueue, type Queued } from '../fair-queue.ts';
import type { BackOff } from './back-off.ts';

type Run = () => Promise<unknown>;

/** Options for adding a call, with an id for its removal. */
type FairOptions = QueueAddOptions & Queued & { readonly id: string };
type QueuedRun = Queued & { readonly id: string; readonly run: Run };

/**
 * Queue class for p-queue that lets clients take turns, instead of ordering by priority. p-queue defines the method
 * names.
 */
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

/** Permission for one call under limits that all instances share. The limits of each instance apply too. */

type Pass = { leave(): void };

export type CallGate = {
  /** Waits until a call may start. @throws the signal's reason */
  enter(signal: AbortSignal): Promise<Pass>;
};

const free: Pass = { leave: () => {} };

/** Gate for a single instance. */
const noGate: CallGate = { enter: async () => free };

/** Limits of the PSI analyser that are counted across all instances. */
export type SharedLimits = {
  /** @param name identifies the analyser */
  createGate(name: string, limits: { concurrency: number; ratePerMinute: number }): CallGate;
};

export type CallQueueSettings = {
  concurrency: number;
  /** Max number of calls in any minute; Infinity for no limit. */
  ratePerMinute: number;
  /** Max time that one analysis waits in total while its calls are blocked. */
  maxWaitMs: number;
  backOff: BackOff;
  /** Limits that all instances share. */
  gate?: CallGate | undefined;
};

/** Origin and client of an analysis. Clients take turns, and all clients without a name count as one. */
type Wanted = {
  origin: string;
  client: string | undefined;
  /** Whether this is one page of many. */
  isBatch?: boolean | undefined;
  signal: AbortSignal;
};

/** An analysis in the queue. All its retries have the same rank within its client. */
export type QueuedCall = Queued & {
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Time spent waiting while calls were blocked. */
  waitedMs: number;
  /** Whether a call was made. */
  isCalled: boolean;
};

export type CallQueue = {
  /** Assigns a rank to an analysis. */
  register(wanted: Wanted): QueuedCall;
  /**
   * Makes a call when it is its turn and it is not blocked.
   * @throws the error of the call; the reason of its signal; AnalysisError if it would be blocked longer than a client
   * should wait
   */
  run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T>;
  /** Removes blocked calls from the queue, so that others need not wait for them. */
  review(): void;
  /** Refuses calls that have not started, with `shutting_down`. Running calls continue. */
  close(): void;
};

const minuteMs = 60_000;
const removed = Symbol('removed from the queue');

const toRate = (ratePerMinute: number) =>
  Number.isFinite(ratePerMinute) ? { intervalCap: ratePerMinute, interval: minuteMs, strict: true } : {};

/** Limits the number of parallel calls and of calls per minute. Clients take turns. */
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
      if (!block.isWorthWaiting || queued.waitedMs + block.ms > maxWaitMs)
        throw block.isOutage && !queued.isCalled ? block.error.asBlocked() : block.error;
      queued.waitedMs += block.ms;
      const signal = AbortSignal.any([queued.signal, closing.signal]);
      await setTimeout(block.ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Runs a queued call, or returns `removed` if it was removed before its start. */
  async function enqueue<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T | typeof removed> {
    const { client, rank, isBatch } = queued;
    closing.signal.throwIfAborted();
    const removal = new AbortController();
    removals.set(queued, removal);
    const signal = AbortSignal.any([queued.signal, removal.signal]);
    const begin = async () => {
      const pass = await gate.enter(signal);
      // The queue may have closed while the call waited for its pass.
      if (closing.signal.aborted) pass.leave();
      closing.signal.throwIfAborted();
      // From here on, only the client can cancel the call.
      removals.delete(queued);
      queued.isCalled = true;
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
      isCalled: false,
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
