import { setTimeout as delay } from 'node:timers/promises';

/** Reason why work on a job ends before all pages are measured. */
export class JobStop extends Error {
  /**
   * `cancelled` by its client, `lost` to another instance, or `stopped` with this one: a stopped job continues later or
   * elsewhere.
   */
  readonly why: 'cancelled' | 'lost' | 'stopped';

  constructor(why: JobStop['why']) {
    super(`the job was ${why}`);
    this.name = 'JobStop';
    this.why = why;
  }
}

/** Waits for `ms`, or until the signal aborts. @throws the signal's reason */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
