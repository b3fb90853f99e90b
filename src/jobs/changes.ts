/** Who waits for news of a job, in this process. Other instances look every second or two. */
export type Changes = {
  changed(jobId: string): void;
  /** Resolves with the next change, after the time, or with the signal: whichever comes first. */
  next(jobId: string, ms: number, signal: AbortSignal): Promise<void>;
};

export function createChanges(): Changes {
  const waiting = new Map<string, Set<() => void>>();

  return {
    changed(jobId) {
      for (const wake of waiting.get(jobId) ?? []) wake();
    },
    next: (jobId, ms, signal) =>
      new Promise(resolve => {
        const wakers = waiting.get(jobId) ?? new Set();
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          wakers.delete(wake);
          if (wakers.size === 0) waiting.delete(jobId);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.set(jobId, wakers.add(wake));
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      }),
  };
}
