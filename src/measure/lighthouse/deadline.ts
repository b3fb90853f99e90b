/**
 * Returns the promise's result. If the signal aborts first, its reason is thrown immediately, and the work continues.
 */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    const stop = () => signal.removeEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(stop);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Time limit of one audit. The clock is paused while the audit waits for other audits, because the page does not cause
 * that wait.
 */
export type Deadline = {
  /** Aborts with a `TimeoutError` after the time limit. */
  readonly signal: AbortSignal;
  /** Remaining time in milliseconds. */
  readonly leftMs: number;
  /** Pauses the clock during this work, which may overlap with other such work. */
  exclude<T>(work: Promise<T>): Promise<T>;
  close(): void;
};

export function createDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController();
  const end = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  let leftMs = timeoutMs;
  let startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined = setTimeout(end, leftMs).unref();

  /** Number of operations for which the clock is paused. */
  let excluded = 0;
  const stop = () => {
    excluded += 1;
    if (excluded > 1) return;
    clearTimeout(timer);
    timer = undefined;
    leftMs -= performance.now() - startedAt;
  };
  const goOn = () => {
    excluded -= 1;
    if (excluded > 0) return;
    startedAt = performance.now();
    timer = setTimeout(end, Math.max(0, leftMs)).unref();
  };

  let isClosed = false;
  return {
    signal: controller.signal,
    get leftMs() {
      return Math.max(0, leftMs - (excluded > 0 ? 0 : performance.now() - startedAt));
    },
    async exclude(work) {
      stop();
      try {
        return await work;
      } finally {
        if (!isClosed) goOn();
      }
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
