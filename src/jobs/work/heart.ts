/** Calls the same work again and again: at once when there is news, and after the pause that the work asks for. */
import { type Schedule, scheduleByTimer } from '../../storage/results/recovery.ts';

export type Heart = {
  /** Something is to be done now. */
  wake(): void;
  /** Nothing more starts. Resolves when what runs has ended. */
  stop(): Promise<void>;
};

/** @param work returns how long to wait; it must not throw */
export function createHeart(work: () => Promise<number>, schedule: Schedule = scheduleByTimer): Heart {
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
