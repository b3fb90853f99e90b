/** Limits how much work runs at the same time. Clients take turns, and single pages come before those of lists. */
import { createFairQueue, type Queued } from './fair-queue.ts';

export type FairSlots = {
  /** Waits for a slot. @returns a function that releases it @throws the signal's reason */
  enter(wanted: Queued, signal: AbortSignal): Promise<() => void>;
};

type Rate = {
  /** Returns the time in which no slot may be taken, in milliseconds. */
  toPauseMs(): number;
  onStart(): void;
};

const unlimited: Rate = { toPauseMs: () => 0, onStart: () => {} };

/**
 * @param room returns the number of slots, which changes as machines join and leave a fleet
 * @param rate limits how often a slot is taken
 */
export function createFairSlots(room: () => number, rate: Rate = unlimited): FairSlots {
  const queue = createFairQueue<Queued & { admit(): void }>();
  let taken = 0;
  let timer: NodeJS.Timeout | undefined;

  const admitNext = (): void => {
    clearTimeout(timer);
    while (queue.size > 0 && taken < room()) {
      const pauseMs = rate.toPauseMs();
      if (pauseMs > 0) {
        timer = setTimeout(admitNext, pauseMs);
        return;
      }
      taken += 1;
      rate.onStart();
      queue.take()?.admit();
    }
  };

  const toRelease = () => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      taken -= 1;
      admitNext();
    };
  };

  return {
    enter({ client, rank, isBatch }, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      if (signal.aborted) return Promise.reject(signal.reason);
      const admit = (): void => {
        signal.removeEventListener('abort', onAbort);
        resolve(toRelease());
      };
      const waiting: Queued & { admit(): void } = { client, rank, isBatch, admit };
      const onAbort = (): void => {
        queue.remove(waiting);
        // A timer for the last waiting work would keep the process alive.
        admitNext();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(waiting);
      admitNext();
      return promise;
    },
  };
}
