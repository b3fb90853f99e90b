import { AnalysisError } from '../errors.ts';

export type Place = { leave(): void };

export type WaitingLine = {
  readonly running: number;
  readonly waiting: number;
  /**
   * Waits for a place, first come first served.
   * @param onPosition told how far from the front the caller waits, 1 being next, at first and after every move
   * @throws AnalysisError `queue_full` or `shutting_down`; the signal's reason when the caller left the line
   */
  enter(signal: AbortSignal, onPosition?: (position: number) => void): Promise<Place>;
  /**
   * Waits for the next place, before all others and however many they are: for a short last step of work that has
   * had its turn already. Its stay is no guide to how long an audit takes.
   * @throws AnalysisError `shutting_down`; the signal's reason when the caller left the line
   */
  enterFirst(signal: AbortSignal): Promise<Place>;
  /** Lets nobody in any more, sends away who waits, and gives those inside `graceMs` to leave. */
  close(graceMs: number): Promise<void>;
};

type Waiter = {
  admit: (place: Place) => void;
  refuse: (error: unknown) => void;
  moveTo: (position: number) => void;
};

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
    tellPositions();
  };

  const tellPositions = () => {
    let position = 0;
    for (const waiter of waiters) {
      position += 1;
      waiter.moveTo(position);
    }
  };

  /** Until the line has moved by one: a place's usual stay, shared by the places. */
  const retryAfterSeconds = () => Math.max(1, Math.ceil(median(stays) / places / 1000));

  const refusal = () => {
    if (closed) return new AnalysisError('shutting_down', 'The service is shutting down.', { retryAfterSeconds: 5 });
    const line = waiters.size === 1 ? '1 audit is waiting' : `${waiters.size} audits are waiting`;
    const state = limit === 0 ? 'Every place is taken, and none may wait' : `${line} already`;
    return new AnalysisError('queue_full', `${state}: try again a little later.`, {
      retryAfterSeconds: retryAfterSeconds(),
    });
  };

  const wait = (
    line: Set<Waiter>,
    signal: AbortSignal,
    onPosition: (position: number) => void = () => {},
  ): Promise<Place> =>
    new Promise((resolve, reject) => {
      const onAbort = () => {
        line.delete(waiter);
        reject(signal.reason);
        tellPositions();
      };
      let at = 0;
      const waiter: Waiter = {
        moveTo: position => {
          if (position !== at) onPosition(position);
          at = position;
        },
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
      waiter.moveTo(line.size);
    });

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiters.size;
    },
    async enter(signal, onPosition = () => {}) {
      signal.throwIfAborted();
      if (closed) throw refusal();
      if (running < places) return occupy(true);
      if (waiters.size >= limit) throw refusal();
      return wait(waiters, signal, onPosition);
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
