import { AnalysisError } from '../errors.ts';

export type Place = { leave(): void };

export type WaitingLine = {
  readonly running: number;
  readonly waiting: number;
  /**
   * Waits for a place, first come first served.
   * @throws AnalysisError `queue_full` or `shutting_down`; the signal's reason when the caller left the line
   */
  enter(signal: AbortSignal): Promise<Place>;
  /**
   * Waits for the next place, before all others and however many they are: for a short last step of work that has
   * had its turn already. Its stay is no guide to how long an audit takes.
   * @throws AnalysisError `shutting_down`; the signal's reason when the caller left the line
   */
  enterFirst(signal: AbortSignal): Promise<Place>;
  /** Lets nobody in any more, sends away who waits, and gives those inside `graceMs` to leave. */
  close(graceMs: number): Promise<void>;
};

type Waiter = { admit: (place: Place) => void; refuse: (error: unknown) => void };

/** Before any audit has ended there is nothing to estimate from: the time of one on a small page. */
const firstGuessMs = 10_000;
const remembered = 20;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? firstGuessMs;

/** A bounded line in front of a fixed number of places. */
export function createWaitingLine(places: number, limit: number): WaitingLine {
  const waiters = new Set<Waiter>();
  const first = new Set<Waiter>();
  const stays: number[] = [];
  let running = 0;
  let closed = false;
  let whenEmpty: (() => void) | undefined;

  const remember = (stayMs: number) => {
    stays.push(stayMs);
    if (stays.length > remembered) stays.shift();
  };

  const occupy = (isUsual: boolean): Place => {
    running += 1;
    const since = performance.now();
    let left = false;
    return {
      leave() {
        if (left) return;
        left = true;
        running -= 1;
        if (isUsual) remember(performance.now() - since);
        admitNext();
        if (running === 0) whenEmpty?.();
      },
    };
  };

  const admitNext = () => {
    const line = first.size > 0 ? first : waiters;
    const [next] = line;
    if (!next || running >= places) return;
    line.delete(next);
    next.admit(occupy(line === waiters));
  };

  /** Until the line has moved by one: a place's usual stay, shared by the places. */
  const retryAfterSeconds = () => Math.max(1, Math.ceil(median(stays) / places / 1000));

  const refusal = () => {
    if (closed) return new AnalysisError('shutting_down', 'The service is shutting down.', { retryAfterSeconds: 5 });
    return new AnalysisError('queue_full', `${waiters.size} audits are waiting already: try again a little later.`, {
      retryAfterSeconds: retryAfterSeconds(),
    });
  };

  const wait = (line: Set<Waiter>, signal: AbortSignal): Promise<Place> =>
    new Promise((resolve, reject) => {
      const onAbort = () => {
        line.delete(waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        admit: place => {
          signal.removeEventListener('abort', onAbort);
          resolve(place);
        },
        refuse: error => {
          signal.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      line.add(waiter);
    });

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiters.size;
    },
    async enter(signal) {
      signal.throwIfAborted();
      if (closed) throw refusal();
      if (running < places) return occupy(true);
      if (waiters.size >= limit) throw refusal();
      return wait(waiters, signal);
    },
    async enterFirst(signal) {
      signal.throwIfAborted();
      if (closed) throw refusal();
      return running < places ? occupy(false) : wait(first, signal);
    },
    async close(graceMs) {
      closed = true;
      for (const waiter of [...first, ...waiters]) waiter.refuse(refusal());
      first.clear();
      waiters.clear();
      if (running === 0) return;
      const empty = Promise.withResolvers<void>();
      whenEmpty = empty.resolve;
      const timer = setTimeout(empty.resolve, graceMs);
      await empty.promise;
      clearTimeout(timer);
    },
  };
}
