/** Pages of a job that could not be measured yet: they wait, and their try does not count. */
import type { AnalysisError } from '../../contract/errors.ts';
import type { Job } from '../job.ts';
import { pause } from './job-stop.ts';
import type { MeasuredPage } from './run-page.ts';

const usualBusyMs = 5000;
const longestBusyMs = 30_000;
/** Max time after the start of a list during which its pages wait for the PSI server. Its daily quota is reset by then. */
const longestOutageMs = 25 * 60 * 60_000;

/** The right of a page to run. */
export type Slot = { release: () => void };

export type PageWaits = {
  /**
   * Waits if all audit slots are busy or unreachable, or if no call to the PSI server was possible.
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
  /** Waits for a slot. */
  enter: () => Promise<() => void>;
  signal: AbortSignal;
};

const busyError = ({ errors }: MeasuredPage) =>
  errors.find(({ code }) => code === 'queue_full' || code === 'queue_unavailable');

/** Returns an error if no failed part of the page was tried, because no call was possible. */
const blockedError = ({ errors }: MeasuredPage) => (errors.every(({ isBlocked }) => isBlocked) ? errors[0] : undefined);

const toPauseMs = ({ retryAfterSeconds = usualBusyMs / 1000 }: AnalysisError): number =>
  Math.min(retryAfterSeconds * 1000, longestBusyMs);

export function createPageWaits({ job, now, enter, signal }: PageWaitsParts): PageWaits {
  const { request, total, startedAtMs } = job;
  // A job with a single page ends with the failure immediately. A comparison would repeat its local side.
  const mayBlock = total > 1 && request.kind === 'psi';
  const endMs = (startedAtMs ?? now()) + longestOutageMs;
  let blocked = 0;

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
      const busy = busyError(measured);
      if (busy) await pause(toPauseMs(busy), signal);
      if (busy) return true;
      const error = mayBlock && now() < endMs ? blockedError(measured) : undefined;
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
