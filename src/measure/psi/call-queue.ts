import { setTimeout } from 'node:timers/promises';
import PQueue from 'p-queue';
import { shuttingDown } from '../../contract/errors.ts';
import type { Queued } from '../fair-queue.ts';
import type { BackOff } from './back-off.ts';
import { type CallGate, noGate } from './call-gate.ts';
import { type FairOptions, FairOrder } from './fair-order.ts';

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
export type Wanted = {
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

  /** Settles as the call does, or with `removed` when it was not begun. */
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
