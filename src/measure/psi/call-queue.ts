import { setTimeout as delay } from 'node:timers/promises';
import { shuttingDown } from '../../contract/errors.ts';
import type { Queued } from '../fair-queue.ts';
import { createFairSlots } from '../fair-turns.ts';
import type { BackOff } from './back-off.ts';
import type { PsiClientSettings, PsiPatience } from './client.ts';

type CallQueueSettings = Pick<PsiClientSettings, 'concurrency' | 'ratePerMinute' | 'sharers'> &
  Pick<PsiPatience, 'maxWaitMs'> & { backOff: BackOff };

/** An analysis in the queue. All its retries have the same rank within its client. */
export type QueuedCall = Queued & {
  readonly origin: string;
  readonly signal: AbortSignal;
  /** Time spent waiting while calls were blocked. */
  waitedMs: number;
  /** Whether a call was made. */
  isCalled: boolean;
};

const minuteMs = 60_000;
const removed = Symbol('removed from the queue');

/** Limits the number of parallel calls and of calls per minute. Clients take turns. */
export function createCallQueue({
  concurrency,
  ratePerMinute,
  sharers = () => 1,
  maxWaitMs,
  backOff,
}: CallQueueSettings) {
  const removals = new Map<QueuedCall, AbortController>();
  const closing = new AbortController();
  let registered = 0;
  /** Times of the calls of the last minute. */
  const starts: number[] = [];

  const shareOf = (limit: number): number => Math.max(1, Math.floor(limit / Math.max(1, sharers())));

  /** Returns the time until the last minute has fewer calls than allowed. */
  const toPauseMs = (): number => {
    const most = shareOf(ratePerMinute);
    const now = performance.now();
    while ((starts[0] ?? now) <= now - minuteMs) starts.shift();
    return starts.length < most ? 0 : (starts.at(-most) ?? 0) + minuteMs - now;
  };

  const slots = createFairSlots(() => shareOf(concurrency), {
    toPauseMs,
    onStart: () => starts.push(performance.now()),
  });

  async function waitUntilAllowed(queued: QueuedCall): Promise<void> {
    for (;;) {
      const block = backOff.blockOf(queued.origin, queued);
      if (!block) return;
      if (!block.isWorthWaiting || queued.waitedMs + block.ms > maxWaitMs)
        throw block.isOutage && !queued.isCalled ? block.error.asBlocked() : block.error;
      queued.waitedMs += block.ms;
      const signal = AbortSignal.any([queued.signal, closing.signal]);
      await delay(block.ms, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Runs a queued call, or returns `removed` if it was removed before its start. */
  async function enqueue<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T | typeof removed> {
    closing.signal.throwIfAborted();
    const removal = new AbortController();
    removals.set(queued, removal);
    const entered = slots.enter(queued, AbortSignal.any([queued.signal, removal.signal])).finally(() => {
      // From here on, only the client can cancel the call.
      removals.delete(queued);
    });
    const release = await entered.catch(error => {
      if (error === removed) return undefined;
      throw error;
    });
    if (!release) return removed;
    queued.isCalled = true;
    return call().finally(release);
  }

  async function run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T> {
    for (;;) {
      await waitUntilAllowed(queued);
      const ended = await enqueue(queued, call);
      if (ended !== removed) return ended as T;
    }
  }

  return {
    /** Assigns a rank to an analysis. Clients take turns, and all clients without a name count as one. */
    register: (wanted: Pick<QueuedCall, 'origin' | 'isBatch' | 'signal'>, client = ''): QueuedCall => ({
      ...wanted,
      client,
      rank: registered++,
      waitedMs: 0,
      isCalled: false,
    }),
    /**
     * Makes a call when it is its turn and it is not blocked.
     * @throws the error of the call; the reason of its signal; AnalysisError if it would be blocked longer than a client
     * should wait
     */
    async run<T>(queued: QueuedCall, call: () => Promise<T>): Promise<T> {
      try {
        return await run(queued, call);
      } catch (error) {
        queued.signal.throwIfAborted();
        throw error;
      } finally {
        backOff.release(queued);
      }
    },
    /** Removes blocked calls from the queue, so that others need not wait for them. */
    review(): void {
      for (const [queued, removal] of removals) if (backOff.blockOf(queued.origin, queued)) removal.abort(removed);
    },
    /** Refuses calls that have not started, with `shutting_down`. Running calls continue. */
    close(): void {
      const reason = shuttingDown();
      closing.abort(reason);
      for (const removal of removals.values()) removal.abort(reason);
    },
  };
}
