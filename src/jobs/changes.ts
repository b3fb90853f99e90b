/**
 * Notifies readers that wait for changes of a job in this process. Changes by other instances are polled every second
 * or two.
 */
import { setTimeout as delay } from 'node:timers/promises';

type JobWatch = {
  /**
   * Resolves with the first change since the last call, after `ms`, or when the signal aborts, whichever comes first.
   */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

export type Changes = {
  changed(jobId: string): void;
  watch(jobId: string): JobWatch;
};

export function createChanges(): Changes {
  const watching = new Map<string, Set<() => void>>();

  return {
    changed(jobId) {
      for (const notice of watching.get(jobId) ?? []) notice();
    },
    watch(jobId) {
      let change = new AbortController();
      const notice = () => change.abort();
      const all = watching.get(jobId) ?? new Set();
      watching.set(jobId, all.add(notice));
      return {
        async next(ms, signal) {
          await delay(ms, undefined, { signal: AbortSignal.any([signal, change.signal]) }).catch(() => {});
          change = new AbortController();
        },
        close() {
          all.delete(notice);
          if (all.size === 0) watching.delete(jobId);
        },
      };
    },
  };
}
