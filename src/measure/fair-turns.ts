/** Limits how much work runs at the same time. Clients take turns, and single pages come before those of lists. */
import { AnalysisError } from '../contract/errors.ts';
import { createFairQueue, type Queued } from './fair-queue.ts';

/**
 * Returns the promise's result. If the signal aborts first, its reason is thrown immediately, and the work continues.
 */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(signal.reason);
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return first;
}

export type WaitingFor<T> = { admit(given: T): void; refuse(error: unknown): void };

/**
 * Waits until a queue admits or refuses.
 * @param join adds the wait to the queue, and returns a function that removes it when the signal aborts
 */
export function waitInQueue<T>(signal: AbortSignal, join: (waiting: WaitingFor<T>) => () => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  if (signal.aborted) return Promise.reject(signal.reason);
  const leave = join({ admit: resolve, refuse: reject });
  const onAbort = () => {
    leave();
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener('abort', onAbort));
}

type SlotLimits = {
  /** Max number of slots of one client. */
  readonly perClient?: number;
  /** Max number of waiting requests. Beyond it, the client with the most loses its last one to a client with fewer. */
  readonly mostWaiting?: number;
  readonly refusal?: () => Error;
  /** Returns the time in which no slot may be taken, in milliseconds. */
  readonly toPauseMs?: () => number;
  readonly onStart?: () => void;
};

/** @param room returns the number of slots, which changes as machines join and leave a fleet */
export function createFairSlots(room: () => number, limits: SlotLimits = {}) {
  const { perClient = Number.POSITIVE_INFINITY, mostWaiting = Number.POSITIVE_INFINITY } = limits;
  const queue = createFairQueue<Queued & WaitingFor<() => void>>();
  const taken = new Map<string, number>();
  let running = 0;
  let timer: NodeJS.Timeout | undefined;
  const takenBy = (client: string): number => taken.get(client) ?? 0;
  const mayTake = ({ client }: Queued): boolean => takenBy(client) < perClient;

  const count = (client: string, change: 1 | -1): void => {
    running += change;
    taken.set(client, takenBy(client) + change);
    if (takenBy(client) === 0) taken.delete(client);
  };
  const admitNext = (): void => {
    // A timer for the last waiting work would keep the process alive.
    clearTimeout(timer);
    while (queue.size > 0 && running < room()) {
      const pauseMs = limits.toPauseMs?.() ?? 0;
      if (pauseMs > 0) timer = setTimeout(admitNext, pauseMs);
      const next = pauseMs > 0 ? undefined : queue.take(mayTake);
      if (!next) return;
      count(next.client, 1);
      limits.onStart?.();
      next.admit(toRelease(next.client));
    }
  };
  const toRelease = (client: string) => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      count(client, -1);
      admitNext();
    };
  };
  const makeRoom = (item: Queued): void => {
    if (queue.size < mostWaiting || (running < room() && mayTake(item))) return;
    const refusal = limits.refusal?.();
    const displaced = queue.displacedBy(item.client, item.isBatch);
    if (!displaced) throw refusal;
    queue.remove(displaced);
    displaced.refuse(refusal);
  };

  /** Admits at once, if a slot is free. @returns a function that ends the wait @throws the refusal */
  const join = (item: Queued & WaitingFor<() => void>): (() => void) => {
    makeRoom(item);
    queue.add(item);
    admitNext();
    return () => void (queue.remove(item) && admitNext());
  };

  return {
    join,
    /** Waits for a slot. @returns a function that releases it @throws the refusal; the signal's reason */
    enter: async (wanted: Queued, signal: AbortSignal): Promise<() => void> =>
      waitInQueue(signal, waiting => join({ ...wanted, ...waiting })),
  };
}
export type FairSlots = ReturnType<typeof createFairSlots>;

/** Who asks for a turn: the name of a client, or of a part of the service. */
export type Caller = { readonly client: string; readonly signal: AbortSignal };

/**
 * Runs work in its turn. An abort ends the wait of the caller at once, but work that began keeps its turn until it ends;
 * otherwise the next work would run next to it.
 * @throws AnalysisError `results_unavailable` if too much work waits; the signal's reason, or the error of the work
 */
export type Turns = <T>(work: () => Promise<T>, caller: Caller) => Promise<T>;

export type TurnLimits = {
  /** Max number of turns at once, 1 by default; and for one client, by default all of them. */
  readonly atOnce?: number;
  readonly perClient?: number;
  /** Max number of waiting calls; 32 by default. */
  readonly mostWaiting?: number;
};

const retryAfterSeconds = 5;
const tooMany = (count: number) =>
  new AnalysisError('results_unavailable', `${count} requests for stored results are already waiting.`, {
    retryAfterSeconds,
  });

/** Queues work that needs much memory or time. */
export function createTurns({ atOnce = 1, perClient = atOnce, mostWaiting = 32 }: TurnLimits = {}): Turns {
  const slots = createFairSlots(() => atOnce, { perClient, mostWaiting, refusal: () => tooMany(mostWaiting) });
  return async <T>(work: () => Promise<T>, { client, signal }: Caller) =>
    waitInQueue<T>(signal, ({ admit, refuse }) => {
      const begin = async () => work();
      return slots.join({ client, rank: 0, refuse, admit: release => begin().then(admit, refuse).finally(release) });
    });
}
