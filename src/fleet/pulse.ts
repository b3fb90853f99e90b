/** What an instance looks at each second, so that nothing depends on a notice: one timer for all of it. */
import type { Reach } from './reach.ts';

export type Pulse = {
  /** Does it at each beat, as long as the database is there. What it throws is left to the next beat. */
  add(task: () => Promise<void>): () => void;
  /** Does it now, too. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export const beatMs = 1000;

/** @param probe asks the database, at each beat: it tells whether it is there */
export function createPulse({ reach, probe }: { reach: Reach; probe: () => Promise<void> }): Pulse {
  const tasks = new Set<() => Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> | undefined;
  let isClosed = false;

  const beatOnce = async (): Promise<void> => {
    try {
      await reach.probe(probe);
    } catch {
      return;
    }
    await Promise.allSettled([...tasks].map(task => task()));
  };

  const beat = (): Promise<void> => {
    beating ??= beatOnce().finally(() => {
      beating = undefined;
    });
    return beating;
  };

  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void beat().finally(schedule), beatMs);
    timer.unref();
  };
  schedule();
  const stopDoubting = reach.onDoubt(() => void beat());

  return {
    add(task) {
      tasks.add(task);
      return () => void tasks.delete(task);
    },
    beat,
    async close() {
      isClosed = true;
      stopDoubting();
      clearTimeout(timer);
      await beating;
    },
  };
}
