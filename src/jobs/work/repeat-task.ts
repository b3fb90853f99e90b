/** Calls a task repeatedly: immediately after `wake`, and otherwise after the pause that the task returns. */
import { type SetTimer, scheduleByTimer } from '../../storage/results/recovery.ts';

export type RepeatedTask = {
  /** Calls the task now, or right after the running call. */
  wake(): void;
  /** Starts no further call. Resolves when the running one has ended. */
  stop(): Promise<void>;
};

/** @param work returns the time to wait in milliseconds; it must not throw */
export function repeatTask(work: () => Promise<number>, schedule: SetTimer = scheduleByTimer): RepeatedTask {
  let timer: { cancel(): void } | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  const plan = (ms: number): void => {
    timer?.cancel();
    timer = isStopped ? undefined : schedule(beat, ms);
  };

  const beat = (): void => {
    timer = undefined;
    isWanted = false;
    running = work().then(ms => {
      running = undefined;
      plan(isWanted ? 0 : ms);
    });
  };

  return {
    wake() {
      isWanted = true;
      if (!running) plan(0);
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await running;
    },
  };
}
