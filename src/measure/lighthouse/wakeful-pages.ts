import type { WorkerSide } from './replies.ts';

/** Max number of pages to remember: a job has at most a tenth of that. */
const mostPages = 10_000;
/** Number of loads that a page must be quiet for before its quiet is used again: a busy machine wakes some by chance. */
const quietLoads = 3;

/**
 * Remembers pages that needed the CPUs again after they were quiet, such as one with a timer of two seconds. In their
 * next loads, nothing starts in their quiet. The memory is that of this process: a restart costs each page one such load.
 */
export function createWakefulPages(most = mostPages) {
  const loadsLeft = new Map<string, number>();
  return {
    /** Notes when the page wakes, and returns whether other audits may make use of a change of its rest. */
    allows(url: string, { rest, isAtRest }: WorkerSide['notices']['rest']): boolean {
      if (rest === 'waiting') return true;
      const left = loadsLeft.get(url) ?? 0;
      loadsLeft.delete(url);
      if (isAtRest && left === 0) return true;
      loadsLeft.set(url, isAtRest ? left - 1 : quietLoads);
      const [oldest] = loadsLeft.keys();
      if (loadsLeft.size > most && oldest !== undefined) loadsLeft.delete(oldest);
      return !isAtRest;
    },
  };
}
