/** Retries that come when the test says so, in place of a timer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Schedule } from '../../../src/storage/results/recovery.ts';

export type OwnSchedule = {
  readonly schedule: Schedule;
  /** The pauses that were asked for, in milliseconds. */
  readonly pauses: readonly number[];
  /** Waits until a retry is scheduled, and lets it come. */
  runNext(): Promise<void>;
  /** Lets retries come until the condition holds. */
  runUntil(isDone: () => boolean): Promise<void>;
};

export function createOwnSchedule(): OwnSchedule {
  const pauses: number[] = [];
  let pending: (() => void) | undefined;

  const fire = (): void => {
    const callback = pending;
    pending = undefined;
    callback?.();
  };

  return {
    pauses,
    schedule: (callback, ms) => {
      pauses.push(ms);
      pending = callback;
      return {
        cancel: () => {
          if (pending === callback) pending = undefined;
        },
      };
    },
    async runNext() {
      while (pending === undefined) await nextTurn();
      fire();
    },
    async runUntil(isDone) {
      while (!isDone()) {
        fire();
        await nextTurn();
      }
    },
  };
}
