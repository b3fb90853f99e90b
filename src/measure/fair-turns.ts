import { AnalysisError } from '../contract/errors.ts';
import { createFairQueue } from './fair-queue.ts';

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

type WaitingTurn = { readonly client: string; readonly rank: 0; begin(): Promise<void>; refuse(error: unknown): void };

/**
 * Queues work that needs much memory or time. Clients take turns. If the queue is full, the client with the most waiting
 * calls loses its last one to a client with fewer.
 */
export function createTurns({ atOnce = 1, perClient = atOnce, mostWaiting = 32 }: TurnLimits = {}): Turns {
  const queue = createFairQueue<WaitingTurn>();
  const running = new Map<string, number>();
  let busy = 0;

  const count = (client: string, change: 1 | -1): void => {
    busy += change;
    const now = (running.get(client) ?? 0) + change;
    if (now > 0) running.set(client, now);
    else running.delete(client);
  };

  const beginNext = (): void => {
    while (busy < atOnce) {
      const next = queue.take(({ client }) => (running.get(client) ?? 0) < perClient);
      if (!next) return;
      count(next.client, 1);
      void next.begin();
    }
  };

  const makeRoom = (client: string): void => {
    if (queue.size < mostWaiting) return;
    const displaced = queue.displacedBy(client);
    if (!displaced) throw tooMany(mostWaiting);
    queue.remove(displaced);
    displaced.refuse(tooMany(mostWaiting));
  };

  return async <T>(work: () => Promise<T>, { client, signal }: Caller): Promise<T> => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting: WaitingTurn = {
      client,
      rank: 0,
      refuse: reject,
      async begin() {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        } finally {
          count(client, -1);
          beginNext();
        }
      },
    };
    if (busy >= atOnce || (running.get(client) ?? 0) >= perClient) makeRoom(client);
    queue.add(waiting);
    const leave = () => {
      queue.remove(waiting);
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    beginNext();
    return promise.finally(() => signal.removeEventListener('abort', leave));
  };
}
