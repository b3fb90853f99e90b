/** Tracks faults of a database: when it last failed, and when to retry. */
import { isLasting, type StoreFaultError } from '../database/fault.ts';
import type { StoreEvent, StoreFault } from './fault.ts';

const firstPauseMs = 1000;
const usualLongestMs = 60_000;

export type SetTimer = (callback: () => void, ms: number) => { cancel(): void };

export const scheduleByTimer: SetTimer = (callback, ms) => {
  const timer = setTimeout(callback, ms);
  // The timer must not keep an otherwise idle process alive.
  timer.unref();
  return { cancel: () => clearTimeout(timer) };
};

export type Recovery = {
  /** Fault that prevents writing now. */
  readonly current: StoreFault | undefined;
  readonly last: StoreFault | undefined;
  report(error: StoreFaultError): StoreFault;
  succeeded(): void;
  close(): void;
};

/** Calls `retry` with pauses that double, until it reports no fault. */
export function createRecovery({
  now,
  schedule,
  onEvent,
  retry,
  longestPauseMs = usualLongestMs,
}: {
  now: () => number;
  schedule: SetTimer;
  onEvent: (event: StoreEvent) => void;
  /** Must call `succeeded` or `report`, and must not throw. */
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
      // The input is at fault, and the store is usable.
      if (code === 'invalid_input') return fault;
      last = fault;
      if (isLasting(code) && current === undefined) return last;
      const isNews = current?.code !== code;
      current = last;
      // An ongoing fault is reported once, not at each retry.
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
