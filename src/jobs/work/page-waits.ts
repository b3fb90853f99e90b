/** Pages of a job that could not be measured yet: they wait, and their try does not count. */
import type { AnalysisError } from '../../contract/errors.ts';
import type { Job } from '../job.ts';
import { pause } from './job-stop.ts';
import type { MeasuredPage } from './run-page.ts';

const usualBusyMs = 5000;
const longestBusyMs = 30_000;
/**
 * Max time for which a job waits for the PSI server or an unavailable queue. Beyond it, as until the reset of a daily
 * quota, its pages fail, and say when to try again.
 */
const longestOutageMs = 60 * 60_000;

/** The right of a page to run. */
export type Slot = { release: () => void };

export type PageWaits = {
  /**
   * Waits without the slot if all audit slots are busy or unreachable, or if no call to the PSI server was possible.
   * @returns whether the page waited, so that it must be measured again
   * @throws the signal's reason
   */
  afterTry(measured: MeasuredPage, slot: Slot): Promise<boolean>;
  /**
   * Waits for the slot of the next page. It does not start while others wait for the PSI server, because those show
   * when calls are possible again.
   * @returns a function that releases the slot
   * @throws the signal's reason
   */
  beforeStart(inFlight: Iterable<Promise<void>>): Promise<() => void>;
};

export type PageWaitsParts = {
  job: Job;
  now: () => number;
  enter: () => Promise<() => void>;
  signal: AbortSignal;
};

const busyError = ({ errors }: MeasuredPage) =>
  errors.find(({ code }) => code === 'queue_unavailable') ?? errors.find(({ code }) => code === 'queue_full');

/** Returns an error if no failed part of the page was tried, because no call was possible. */
const blockedError = ({ errors }: MeasuredPage) => (errors.every(({ isBlocked }) => isBlocked) ? errors[0] : undefined);

const toPauseMs = ({ retryAfterSeconds = usualBusyMs / 1000 }: AnalysisError): number =>
  Math.min(retryAfterSeconds * 1000, longestBusyMs);

export function createPageWaits({ job, now, enter, signal }: PageWaitsParts): PageWaits {
  const { request, total } = job;
  // A job with a single page ends with the failure immediately. A comparison would repeat its local side.
  const mayBlock = total > 1 && request.kind === 'psi';
  let blocked = 0;
  /** Time of the first page that no slot or call was possible for since the last one without a failure. */
  let blockedSinceMs: number | undefined;

  /** Returns the error of a page if a slot, or a call to the PSI server, is possible soon enough to wait for it. */
  function worthWaiting(measured: MeasuredPage): AnalysisError | undefined {
    const error = busyError(measured) ?? (mayBlock ? blockedError(measured) : undefined);
    if (measured.errors.length === 0) blockedSinceMs = undefined;
    // In a full queue, every client gets a turn.
    if (!error || error.code === 'queue_full') return error;
    blockedSinceMs ??= now();
    const { retryAfterSeconds = 0 } = error;
    return now() - blockedSinceMs + retryAfterSeconds * 1000 <= longestOutageMs ? error : undefined;
  }

  /** Waits without a slot, because pages of other jobs may need no call. */
  async function waitWithoutSlot(ms: number, slot: Slot): Promise<void> {
    blocked += 1;
    slot.release();
    try {
      await pause(ms, signal);
      slot.release = await enter();
    } finally {
      blocked -= 1;
    }
  }

  return {
    async afterTry(measured, slot) {
      const error = worthWaiting(measured);
      if (error) await waitWithoutSlot(toPauseMs(error), slot);
      return error !== undefined;
    },
    async beforeStart(inFlight) {
      for (;;) {
        while (blocked > 0) await Promise.race(inFlight);
        const release = await enter();
        if (blocked === 0) return release;
        release();
      }
    },
  };
}
