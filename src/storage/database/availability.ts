/**
 * Whether the database can be reached now: one answer and one clock for all that instances share. A question gets an
 * answer or a failure soon, and a failure at once while the database is known to be away. Then each instance goes by
 * what it knows itself.
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
  /** Since the database last answered. */
  silentForMs(): number;
  /** @throws DatabaseAwayError when it fails, or takes too long; at once while the database is away */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** The same, also while the database is away. */
  askAnyway<T>(work: () => Promise<T>): Promise<T>;
  /** A statement failed that should not have: the database is probed at once. */
  suspect(): void;
  /** Calls back with each change. Handlers must not throw. */
  onChange(handler: (isThere: boolean) => void): () => void;
  /** Runs at each beat while the database is there, never twice at once. An error is left to the next beat. */
  onBeat(task: () => Promise<void>): () => void;
  /** A beat that starts now; settles when all its tasks have run. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export const beatMs = 1000;
const patienceMs = 2000;
/** A question that takes so long makes the database suspect: a probe decides while the question waits. */
const slowMs = 500;
/** After a pause of the whole process, answers may have arrived without being read yet. */
const graceMs = 100;

/** Never twice at once: a call while it runs gets the end of that run. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** A single statement that failed says nothing about the next one; a connection does. */
const isAway = (error: unknown): boolean => ['unavailable', 'closed'].includes(toFaultError(error).code);

/** @param probe one short statement: whether it is answered decides */
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
    const fail = () => late.reject(new StoreFaultError('unavailable', `No answer within ${waitMs} ms.`));
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

  /** Tasks that wait put off no beat: each runs once at a time. */
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
      // A probe or a task that runs already may have looked a moment too early.
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
