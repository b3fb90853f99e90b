/**
 * Whether the database can be reached now. What is shared is worth a short wait and no long one: who asks for it gets
 * an answer or a failure soon, and at once as long as the database is known to be away. Then each instance goes by
 * what it knows itself.
 */
import { StoreFaultError, toFaultError } from '../results/fault.ts';

export class DatabaseAwayError extends StoreFaultError {
  constructor(cause?: unknown) {
    super('unavailable', 'The database that the instances share cannot be asked now.', cause);
    this.name = 'DatabaseAwayError';
  }
}

export type Reach = {
  readonly isThere: boolean;
  /** @throws DatabaseAwayError when it fails, or takes too long; at once while the database is away */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** The same, also while it is away: to find out that it is back. */
  probe<T>(work: () => Promise<T>): Promise<T>;
  /** Calls back with each change. */
  onChange(handler: (isThere: boolean) => void): () => void;
};

const patienceMs = 2000;

const toLate = (ms: number) => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new StoreFaultError('unavailable', `No answer within ${ms} ms.`)), ms);
  return { promise, stop: () => clearTimeout(timer) };
};

/** One statement that failed says nothing of the next; a connection does. */
const isAway = (error: unknown): boolean => {
  const { code } = toFaultError(error);
  return code === 'unavailable' || code === 'closed';
};

export function createReach(waitMs = patienceMs): Reach {
  const handlers = new Set<(isThere: boolean) => void>();
  let isThere = true;

  const set = (next: boolean): void => {
    if (next === isThere) return;
    isThere = next;
    for (const handler of handlers) handler(next);
  };

  async function probe<T>(work: () => Promise<T>): Promise<T> {
    const late = toLate(waitMs);
    try {
      const found = await Promise.race([work(), late.promise]);
      set(true);
      return found;
    } catch (error) {
      if (isAway(error)) set(false);
      throw new DatabaseAwayError(error);
    } finally {
      late.stop();
    }
  }

  return {
    get isThere() {
      return isThere;
    },
    async ask(work) {
      if (!isThere) throw new DatabaseAwayError();
      return probe(work);
    },
    probe,
    onChange(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
  };
}
