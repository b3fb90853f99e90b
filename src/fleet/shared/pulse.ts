/** What an instance looks at each second, so that nothing depends on a notice: one timer for all of it. */
import type { Reach } from './reach.ts';

export type Pulse = {
  /** Does it at each beat, as long as the database is there. What it throws is left to the next beat. */
  add(task: () => Promise<void>): () => void;
  /** A beat that begins now. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export const beatMs = 1000;

/** Never twice at once: who asks while it runs gets the end of that run. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/**
 * @param probe asks the database, at each beat: it tells whether it is there. Nothing that a task waits for puts off
 *   the next one
 */
export function createPulse({ reach, probe }: { reach: Reach; probe: () => Promise<void> }): Pulse {
  const tasks = new Set<() => Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const look = once(() =>
    reach.probe(probe).then(
      () => true,
      () => false,
    ),
  );

  const runTasks = async (): Promise<void> => {
    await Promise.allSettled([...tasks].map(task => task()));
  };

  const tick = async (): Promise<void> => {
    const isThere = await look();
    schedule();
    if (isThere) await runTasks();
  };

  const schedule = (): void => {
    if (isClosed) return;
    timer = setTimeout(() => void tick(), beatMs);
    timer.unref();
  };
  schedule();
  const stopDoubting = reach.onDoubt(() => void look());

  return {
    add(task) {
      const own = once(task);
      tasks.add(own);
      return () => void tasks.delete(own);
    },
    async beat() {
      // What runs already may have looked a moment too early.
      await look();
      if (!(await look())) return;
      await runTasks();
      await runTasks();
    },
    async close() {
      isClosed = true;
      stopDoubting();
      clearTimeout(timer);
      await look();
    },
  };
}
