import type { WorkerSide } from './replies.ts';

/** Max number of pages to remember: a job has at most a tenth of that. */
const mostPages = 10_000;

/**
 * Remembers pages that needed the CPUs again after they were quiet, such as one with a timer of two seconds. The next
 * time, nothing starts in their quiet. The memory is that of this process: a restart costs each page one such load.
 */
export function createWakefulPages(most = mostPages) {
  const urls = new Set<string>();
  return {
    /** Notes when the page wakes, and returns whether other audits may make use of a change of its rest. */
    allows(url: string, { rest, isAtRest }: WorkerSide['notices']['rest']): boolean {
      if (rest === 'waiting') return true;
      if (isAtRest) return !urls.has(url);
      urls.delete(url);
      urls.add(url);
      const [oldest] = urls;
      if (urls.size > most && oldest !== undefined) urls.delete(oldest);
      return true;
    },
  };
}
