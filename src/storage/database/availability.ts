/**
 * Tracks whether the database is available, with one answer and one clock for everything that instances share. A query
 * succeeds or fails soon, and fails at once while the database is known to be away. Each instance then relies on what
 * it knows itself.
 */
import { StoreFaultError, toFaultError } from './fault.ts';

export class DatabaseAwayError extends StoreFaultError {
  constructor(cause?: unknown) {
    super('unavailable', 'The shared database cannot be reached now.', { cause });
    this.name = 'DatabaseAwayError';
  }
}

export type Availability = {
  readonly isThere: boolean;
  /** Returns milliseconds since the database last answered. */
  silentForMs(): number;
  /** @throws DatabaseAwayError if the work fails or takes too long; at once while the database is away */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** Like `ask`, but also tries while the database is away. */
  askAnyway<T>(work: () => Promise<T>): Promise<T>;
  /** Probes the database at once, because a statement failed unexpectedly. */
  suspect(): void;
  /** Calls the handler with each change. Handlers must not throw. */
  onChange(handler: (isThere: boolean) => void): () => void;
  /**
   * Runs the task at each beat while the database is available, never twice at once. After an error, the next beat
   * tries again.
   */
  onBeat(task: () => Promise<void>): () => void;
  /** Starts a beat now; resolves when all its tasks have run. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export const beatMs = 1000;
const patienceMs = 2000;
/** Duration after which a query makes the database suspect: a probe then decides while the query waits. */
const slowMs = 500;
/** Extra time after a pause of the whole process, during which answers may have arrived unread. */
const graceMs = 100;

/** Shares one run among concurrent calls: a call during a run waits for that run. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns whether an error means that the database is away: a failed connection does, a failed statement does not. */
const isAway = (error: unknown): boolean => ['unavailable', 'closed'].includes(toFaultError(error).code);

/** @param probe one short statement: the database is available if it is answered */
export function createAvailability(probe: () => Promise<unknown>, waitMs = patienceMs): Availability {
  const handlers = new Set<(isThere: boolean) => void>();
  const tasks = new Set<() => Promise<void>>();
  let isThere = true;
  let answeredAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const set = (next: boolean): void => {
    if (next === isThere) return;
    isThere = next;
    for (const handler of handlers) handler(next);
  };

  async function withPatience<T>(work: () => Promise<T>): Promise<T> {
    const late = Promise.withResolvers<never>();
    const fail = () => late.reject(new StoreFaultError('unavailable', `No response within ${waitMs} ms.`));
    let lateTimer = setTimeout(() => {
      lateTimer = setTimeout(fail, graceMs);
    }, waitMs);
    try {
      const answer = await Promise.race([work(), late.promise]);
      answeredAt = performance.now();
      return answer;
    } finally {
      clearTimeout(lateTimer);
    }
  }

  const look = once(async () => {
    try {
      await withPatience(probe);
      set(true);
    } catch (error) {
      if (isAway(error)) set(false);
    }
  });

  async function askAnyway<T>(work: () => Promise<T>): Promise<T> {
    const slow = setTimeout(look, slowMs);
    try {
      return await withPatience(work);
    } catch (error) {
      if (isAway(error)) void look();
      throw new DatabaseAwayError(error);
    } finally {
      clearTimeout(slow);
    }
  }

  const runTasks = async (): Promise<void> => {
    await Promise.allSettled([...tasks].map(task => task()));
  };

  /** Starts all tasks without waiting for slow ones: each runs once at a time. */
  const tick = async (): Promise<void> => {
    if (!isThere) await look();
    schedule();
    if (isThere) await runTasks();
  };

  const schedule = (): void => {
    if (!isClosed) timer = setTimeout(() => void tick(), beatMs).unref();
  };
  schedule();

  return {
    get isThere() {
      return isThere;
    },
    silentForMs: () => performance.now() - answeredAt,
    async ask(work) {
      if (!isThere) throw new DatabaseAwayError();
      return askAnyway(work);
    },
    askAnyway,
    suspect: () => void look(),
    onChange(handler) {
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    onBeat(task) {
      const own = once(task);
      tasks.add(own);
      return () => void tasks.delete(own);
    },
    async beat() {
      // A running probe or task may have looked a moment too early.
      await look();
      await look();
      if (!isThere) return;
      await runTasks();
      await runTasks();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      tasks.clear();
    },
  };
}
