/**
 * Time limit of one audit. The clock is paused while the audit waits for other audits, because the page does not cause
 * that wait.
 */
export function createDeadline(timeoutMs: number) {
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
    /** Aborts with a `TimeoutError` after the time limit. */
    signal: controller.signal,
    /** Remaining time in milliseconds. */
    get leftMs(): number {
      return Math.max(0, leftMs - (excluded > 0 ? 0 : performance.now() - startedAt));
    },
    /** Pauses the clock during this work, which may overlap with other such work. */
    async exclude<T>(work: Promise<T>): Promise<T> {
      stop();
      try {
        return await work;
      } finally {
        if (!isClosed) goOn();
      }
    },
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
export type Deadline = ReturnType<typeof createDeadline>;
