/**
 * Tracks whether the database is available, with one state for all data that instances share. A query succeeds or fails
 * soon, and fails immediately while the database is known to be unavailable. Each instance then relies on its own data.
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
  /** Returns the time since the last answer of the database, in milliseconds. */
  silentForMs(): number;
  /** @throws DatabaseAwayError if the work fails or takes too long, or immediately while the database is unavailable */
  ask<T>(work: () => Promise<T>): Promise<T>;
  /** Works like `ask`, but also tries while the database is unavailable. */
  askAnyway<T>(work: () => Promise<T>): Promise<T>;
  /** Probes the database immediately, because a statement failed unexpectedly. */
  suspect(): void;
  /** Calls the handler with each change. Handlers must not throw. */
  onChange(handler: (isThere: boolean) => void): () => void;
  /**
   * Runs the task at each beat while the database is available, never twice at the same time. After an error, the next
   * beat tries again.
   */
  onBeat(task: () => Promise<void>): () => void;
  /** Starts a beat now. Resolves when all its tasks have finished. */
  beat(): Promise<void>;
  close(): Promise<void>;
};

export const beatMs = 1000;
const patienceMs = 2000;
/** Duration after which a query makes the database suspect. A probe then decides, while the query still waits. */
const slowMs = 500;
/** Extra time after a pause of the whole process, in which unread answers may have arrived. */
const graceMs = 100;

/** Shares one run among concurrent calls: a call during a run waits for it. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns whether an error means that the database is unavailable: a connection failed, rather than a statement. */
const isAway = (error: unknown): boolean => ['unavailable', 'closed'].includes(toFaultError(error).code);

/** @param probe runs one short statement; the database is available if it is answered */
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

  /** Starts all tasks, without waiting for slow ones. Each task runs only once at a time. */
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
      // A probe or task that was already running may have checked too early, so this checks again.
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
