import { AnalysisError, shuttingDown } from '../../contract/errors.ts';
import { createFairQueue, type Queued } from '../fair-queue.ts';

/**
 * The right to run one of the few audits that may run at once, until it is released. Releasing it twice does nothing.
 */
export type AuditSlot = { release(): void };

export type EnterOptions = {
  /**
   * Holds the whole machine: waits until no audit runs, and none starts next to it. Others wait behind it meanwhile.
   */
  isExclusive?: boolean | undefined;
  /** The name of the client: clients take turns, and all without a name are one. */
  client?: string | undefined;
  /** One page of many: it comes after what someone waits for. */
  isBatch?: boolean | undefined;
  /**
   * Hears the position in the queue, 1 being next, at first and after every change: it grows when a client with fewer
   * audits comes. Must not throw.
   */
  onPosition?: ((position: number) => void) | undefined;
};

export type AuditQueue = {
  readonly running: number;
  readonly queued: number;
  /**
   * Waits for a slot. Clients take turns; of one client, first come, first served. When the queue is full, a client
   * with fewer audits in it than another displaces the last one of the client with the most.
   * @throws AnalysisError `queue_full`, at once or when it is displaced, with the time after which this client may
   *   expect a slot; `shutting_down`; the signal's reason when the client disconnects
   */
  enter(signal: AbortSignal, options?: EnterOptions): Promise<AuditSlot>;
  /**
   * Waits for the next slot, before all others and however many they are: for a short last step of work that has had
   * its turn already. How long it holds the slot is no guide to how long an audit takes.
   * @throws AnalysisError `shutting_down`; the signal's reason when the client disconnects
   */
  enterFirst(signal: AbortSignal): Promise<AuditSlot>;
  /** Refuses new audits and queued ones, and waits `graceMs` at most until every slot is released. */
  close(graceMs: number): Promise<void>;
};

type Waiting = { admit: (slot: AuditSlot) => void; refuse: (error: unknown) => void };
type QueuedAudit = Queued & Waiting & { isExclusive: boolean; moveTo: (position: number) => void };

/** Before any audit has ended there is nothing to estimate from: the time of one on a small page. */
const firstGuessMs = 10_000;
const remembered = 20;

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? firstGuessMs;

/**
 * Waits for a slot or a refusal. @param join puts it in a queue; what it returns takes it out, when the signal aborts
 */
function wait(signal: AbortSignal, join: (waiting: Waiting) => () => void): Promise<AuditSlot> {
  const { promise, resolve, reject } = Promise.withResolvers<AuditSlot>();
  const unlisten = () => signal.removeEventListener('abort', onAbort);
  const leave = join({
    admit: slot => {
      unlisten();
      resolve(slot);
    },
    refuse: error => {
      unlisten();
      reject(error);
    },
  });
  const onAbort = () => {
    leave();
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}

/** Calls back when the position is another than before. */
function createMove(onPosition: (position: number) => void): (position: number) => void {
  let at = 0;
  return position => {
    if (position === at) return;
    at = position;
    onPosition(position);
  };
}

/** A bounded queue in front of a fixed number of slots. */
export function createAuditQueue(slots: number, limit: number): AuditQueue {
  const queue = createFairQueue<QueuedAudit>();
  const first = new Set<Waiting>();
  const stays: number[] = [];
  let arrivals = 0;
  let changes = 0;
  let running = 0;
  /** Whether the audit that runs holds the whole machine. */
  let isHeld = false;
  let closed = false;
  let whenEmpty: (() => void) | undefined;

  const remember = (stayMs: number) => {
    stays.push(stayMs);
    if (stays.length > remembered) stays.shift();
  };

  const hasRoom = (isExclusive: boolean): boolean => !isHeld && (isExclusive ? running === 0 : running < slots);

  const occupy = (isUsual: boolean, isExclusive = false): AuditSlot => {
    running += 1;
    isHeld = isExclusive;
    const since = performance.now();
    let released = false;
    return {
      release() {
        if (released) return;
        released = true;
        running -= 1;
        if (isExclusive) isHeld = false;
        if (isUsual) remember(performance.now() - since);
        admitNext();
        if (running === 0) whenEmpty?.();
      },
    };
  };

  const admitNext = () => {
    for (const reAudit of first) {
      if (!hasRoom(false)) break;
      first.delete(reAudit);
      reAudit.admit(occupy(false));
    }
    for (let [next] = queue.inOrder(); next && hasRoom(next.isExclusive); [next] = queue.inOrder()) {
      queue.take();
      next.admit(occupy(true, next.isExclusive));
    }
    reportPositions();
  };

  const reportPositions = () => {
    changes += 1;
    const change = changes;
    for (const [index, audit] of queue.inOrder().entries()) {
      audit.moveTo(index + 1);
      // A client that hears its position may cancel: then all of them were reported again.
      if (change !== changes) return;
    }
  };

  /** With the time until one more of this client would get a slot: each moves up when a usual stay in a slot ends. */
  const queueFull = ({ client = '', isBatch }: EnterOptions, state: string): AnalysisError => {
    const waitMs = (median(stays) * queue.positionAfter(client, isBatch)) / slots;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new AnalysisError('queue_full', `${state}. Retry in ${retryAfterSeconds} s.`, { retryAfterSeconds });
  };

  const join =
    ({ client = '', isBatch, isExclusive = false, onPosition = () => {} }: EnterOptions) =>
    (waiting: Waiting) => {
      const moveTo = createMove(onPosition);
      const audit = { ...waiting, client, isBatch, isExclusive, rank: arrivals++, moveTo };
      queue.add(audit);
      // One that wanted the whole machine held up the others.
      return () => void (queue.remove(audit) && admitNext());
    };

  const joinFirst = (waiting: Waiting) => {
    first.add(waiting);
    return () => void first.delete(waiting);
  };

  return {
    get running() {
      return running;
    },
    get queued() {
      return queue.size;
    },
    async enter(signal, options = {}) {
      const { client = '', isExclusive = false } = options;
      signal.throwIfAborted();
      if (closed) throw shuttingDown();
      if (queue.size === 0 && hasRoom(isExclusive)) return occupy(true, isExclusive);
      const isFull = queue.size >= limit;
      const displaced = isFull ? queue.displacedBy(client) : undefined;
      if (isFull && !displaced)
        throw queueFull(
          options,
          `All audit slots are busy and ${limit === 0 ? 'the queue is disabled' : 'the queue is full'}`,
        );
      if (displaced) queue.remove(displaced);
      const slot = wait(signal, join(options));
      displaced?.refuse(
        queueFull(displaced, 'The queue is full, and this audit was removed to make room for another client'),
      );
      admitNext();
      return slot;
    },
    async enterFirst(signal) {
      signal.throwIfAborted();
      if (closed) throw shuttingDown();
      return hasRoom(false) ? occupy(false) : wait(signal, joinFirst);
    },
    async close(graceMs) {
      closed = true;
      for (const waiting of first) waiting.refuse(shuttingDown());
      first.clear();
      for (let audit = queue.take(); audit; audit = queue.take()) audit.refuse(shuttingDown());
      if (running === 0) return;
      const empty = Promise.withResolvers<void>();
      whenEmpty = empty.resolve;
      const timer = setTimeout(empty.resolve, graceMs);
      await empty.promise;
      clearTimeout(timer);
    },
  };
}
