import { setTimeout } from 'node:timers/promises';
import PQueue from 'p-queue';
import type { BackOff } from './back-off.ts';

export type LineSettings = {
  concurrency: number;
  /** Calls that may go out in any minute; Infinity: as many as there are places. */
  ratePerMinute: number;
  /** What one call waits in all for the analyser's or its origin's rest to be over. */
  patienceMs: number;
  backOff: BackOff;
};

/** One analysis in the line. It keeps its place in the order however often it has to try. */
export type Turn = {
  readonly origin: string;
  readonly signal: AbortSignal;
  readonly number: number;
  /** Spent waiting for rests to be over. */
  restedMs: number;
};

export type Line = {
  takeTurn(origin: string, signal: AbortSignal): Turn;
  /**
   * Runs a call when its turn has come and nothing says that it should not go out.
   * @throws what the call throws; the reason of the turn's signal; AnalysisError when it should not go out for longer
   *   than a caller can be made to wait
   */
  run<T>(turn: Turn, call: () => Promise<T>): Promise<T>;
  /** Takes out of the line who should not go out any more: those behind must not wait for them. */
  review(): void;
};

const minuteMs = 60_000;
const steppedOut = Symbol('stepped out of the line');

const toRate = (ratePerMinute: number) =>
  Number.isFinite(ratePerMinute) ? { intervalCap: ratePerMinute, interval: minuteMs, strict: true } : {};

/** First come, first served, with so many places and so many calls a minute. */
export function createLine({ concurrency, ratePerMinute, patienceMs, backOff }: LineSettings): Line {
  const queue = new PQueue({ concurrency, ...toRate(ratePerMinute) });
  const waiting = new Map<Turn, AbortController>();
  let turns = 0;

  async function waitForRest(turn: Turn): Promise<void> {
    for (;;) {
      const block = backOff.blockOf(turn.origin, turn);
      if (!block) return;
      if (!block.isWorthWaiting || turn.restedMs + block.ms > patienceMs) throw block.error;
      turn.restedMs += block.ms;
      await setTimeout(block.ms, undefined, { signal: turn.signal });
    }
  }

  /** Settles as the call does, or with `steppedOut` when it was not begun. */
  async function queueUp<T>(turn: Turn, call: () => Promise<T>): Promise<T | typeof steppedOut> {
    const leave = new AbortController();
    waiting.set(turn, leave);
    const begin = () => {
      // From here on only the caller can end it.
      waiting.delete(turn);
      return call();
    };
    try {
      const signal = AbortSignal.any([turn.signal, leave.signal]);
      return await queue.add(begin, { signal, priority: -turn.number });
    } catch (error) {
      if (error === steppedOut) return steppedOut;
      throw error;
    } finally {
      waiting.delete(turn);
    }
  }

  async function run<T>(turn: Turn, call: () => Promise<T>): Promise<T> {
    for (;;) {
      await waitForRest(turn);
      const ended = await queueUp(turn, call);
      if (ended !== steppedOut) return ended as T;
    }
  }

  return {
    takeTurn: (origin, signal) => ({ origin, signal, number: turns++, restedMs: 0 }),
    async run(turn, call) {
      try {
        return await run(turn, call);
      } catch (error) {
        turn.signal.throwIfAborted();
        throw error;
      } finally {
        backOff.release(turn);
      }
    },
    review() {
      for (const [turn, leave] of waiting) if (backOff.blockOf(turn.origin, turn)) leave.abort(steppedOut);
    },
  };
}
