/** Retries that run when the test says so, instead of after a timer. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SetTimer } from '../../../src/storage/results/recovery.ts';

export type OwnSchedule = {
  readonly schedule: SetTimer;
  /** The requested pauses in milliseconds. */
  readonly pauses: readonly number[];
  /** Waits until a retry is scheduled and runs it. */
  runNext(): Promise<void>;
  /** Runs retries until the condition holds. */
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
