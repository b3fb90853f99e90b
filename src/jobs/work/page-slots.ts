/** Limits how many pages of all jobs run at the same time. Clients take turns, and single pages come first. */
import { createFairQueue, type Queued } from '../../measure/fair-queue.ts';

export type PageSlots = {
  /** Waits for a slot. @returns a function that releases it @throws the signal's reason */
  enter(wanted: Queued, signal: AbortSignal): Promise<() => void>;
};

type Waiting = Queued & { admit: () => void };

/** @param room returns the number of slots, which changes as machines join and leave a fleet */
export function createPageSlots(room: () => number): PageSlots {
  const queue = createFairQueue<Waiting>();
  let taken = 0;

  const admitNext = (): void => {
    while (taken < room()) {
      const next = queue.take();
      if (!next) return;
      taken += 1;
      next.admit();
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
    enter(wanted, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      if (signal.aborted) return Promise.reject(signal.reason);
      const waiting: Waiting = {
        ...wanted,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve(toRelease());
        },
      };
      const onAbort = () => {
        queue.remove(waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(waiting);
      admitNext();
      return promise;
    },
  };
}
