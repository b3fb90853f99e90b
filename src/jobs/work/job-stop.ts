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
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
