/** What is known of a database's faults: when it last failed, and when to try again. */
import { isLasting, type StoreFaultError } from '../database/fault.ts';
import type { StoreEvent, StoreFault } from './fault.ts';

const firstPauseMs = 1000;
const usualLongestMs = 60_000;

export type Schedule = (callback: () => void, ms: number) => { cancel(): void };

export const scheduleByTimer: Schedule = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  // A process that has nothing else to do need not wait for the database.
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
};

export type Recovery = {
  /** The fault that keeps the store from writing now. */
  readonly current: StoreFault | undefined;
  readonly last: StoreFault | undefined;
  report(error: StoreFaultError): StoreFault;
  succeeded(): void;
  close(): void;
};

/** Calls `retry` after pauses that double, for as long as it reports faults. */
export function createRecovery({
  now,
  schedule,
  onEvent,
  retry,
  longestPauseMs = usualLongestMs,
}: {
  now: () => number;
  schedule: Schedule;
  onEvent: (event: StoreEvent) => void;
  /** Must not throw: it says `succeeded` or `report`. */
  retry: () => void;
  longestPauseMs?: number | undefined;
}): Recovery {
  let current: StoreFault | undefined;
  let last: StoreFault | undefined;
  let pauseMs = firstPauseMs;
  let timer: { cancel(): void } | undefined;
  let isClosed = false;

  const scheduleRetry = (): void => {
    if (timer || isClosed) return;
    timer = schedule(() => {
      timer = undefined;
      retry();
    }, pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  };

  return {
    get current() {
      return current;
    },
    get last() {
      return last;
    },
    report({ code, message, detail }) {
      const fault = { code, message, ...(detail === undefined ? {} : { detail }), atMs: now() };
      // The input was at fault: the store is as usable as before.
      if (code === 'invalid_input') return fault;
      last = fault;
      if (isLasting(code) && current === undefined) return last;
      const isNews = current?.code !== code;
      current = last;
      // One that lasts is said once, not at each try.
      if (isNews) onEvent({ event: 'fault', fault: last });
      scheduleRetry();
      return last;
    },
    succeeded() {
      if (current === undefined) return;
      current = undefined;
      pauseMs = firstPauseMs;
      timer?.cancel();
      timer = undefined;
      onEvent({ event: 'recovered' });
    },
    close() {
      isClosed = true;
      timer?.cancel();
    },
  };
}
