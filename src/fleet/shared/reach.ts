/**
 * Whether the database can be reached now. What is shared is worth a short wait and no long one: who asks for it gets
 * an answer or a failure soon, and at once as long as the database is known to be away. Then each instance goes by
 * what it knows itself.
 */
import { StoreFaultError, toFaultError } from '../../results/fault.ts';

export class DatabaseAwayError extends StoreFaultError {
  constructor(cause?: unknown) {
    super('unavailable', 'The database that the instances share cannot be asked now.', { cause });
    this.name = 'DatabaseAwayError';
  }
}

export type Reach = {
  readonly isThere: boolean;
  /** @throws DatabaseAwayError when it fails, or takes too long; at once while the database is away */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** The same, also while it is away. What comes of it decides whether the database is there. */
  probe<T>(work: () => Promise<T>): Promise<T>;
  /** Calls back with each change. */
  onChange(handler: (isThere: boolean) => void): () => void;
  /** Calls back when an answer failed that should not have: it is time for a probe. */
  onDoubt(handler: () => void): () => void;
};

const patienceMs = 2000;
/** After a time in which this process did nothing at all, its answers may be there and not read yet. */
const graceMs = 100;

const toLate = (ms: number) => {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new StoreFaultError('unavailable', `No answer within ${ms} ms.`));
  let timer = setTimeout(() => {
    timer = setTimeout(fail, graceMs);
  }, ms);
  return { promise, stop: () => clearTimeout(timer) };
};

/** One statement that failed says nothing of the next; a connection does. */
const isAway = (error: unknown): boolean => {
  const { code } = toFaultError(error);
  return code === 'unavailable' || code === 'closed';
};

export function createReach(waitMs = patienceMs): Reach {
  const changeHandlers = new Set<(isThere: boolean) => void>();
  const doubtHandlers = new Set<() => void>();
  let isThere = true;

  const set = (next: boolean): void => {
    if (next === isThere) return;
    isThere = next;
    for (const handler of changeHandlers) handler(next);
  };

  async function withPatience<T>(work: () => Promise<T>, onAway: () => void): Promise<T> {
    const late = toLate(waitMs);
    try {
      return await Promise.race([work(), late.promise]);
    } catch (error) {
      if (isAway(error)) onAway();
      throw new DatabaseAwayError(error);
    } finally {
      late.stop();
    }
  }

  const doubt = (): void => {
    for (const handler of doubtHandlers) handler();
  };

  return {
    get isThere() {
      return isThere;
    },
    async ask(work) {
      if (!isThere) throw new DatabaseAwayError();
      return withPatience(work, doubt);
    },
    async probe(work) {
      const found = await withPatience(work, () => set(false));
      set(true);
      return found;
    },
    onChange(handler) {
      changeHandlers.add(handler);
      return () => void changeHandlers.delete(handler);
    },
    onDoubt(handler) {
      doubtHandlers.add(handler);
      return () => void doubtHandlers.delete(handler);
    },
  };
}
