import { AnalysisError, shuttingDown } from '../../contract/errors.ts';
import { upperMedianOf } from '../../presentation/values.ts';
import { createFairQueue, type Queued } from '../fair-queue.ts';
import { type WaitingFor, waitInQueue } from '../fair-turns.ts';

/** The right to run one of the parallel audits until it is released. Releasing it twice has no effect. */
export type AuditSlot = { release(): void };

export type EnterOptions = {
  /**
   * Whether the audit needs the whole machine: it waits until no audit runs, and no other one starts during it. Later
   * audits wait behind it.
   */
  exclusive?: boolean | undefined;
  /** Name of the client. Clients take turns, and all clients without a name count as one. */
  client?: string | undefined;
  /** Whether this is one page of many: such a page waits behind single requests. */
  isBatch?: boolean | undefined;
  /** Whether the queue accepts the audit although it is full, because an earlier audit of its request had a slot. */
  isAdmitted?: boolean | undefined;
  /**
   * Called with the position in the queue, 1 being next, at the start and after every change. The position increases
   * when a client with fewer audits arrives. Must not throw.
   */
  onPosition?: ((position: number) => void) | undefined;
};

type WaitingAudit = WaitingFor<AuditSlot>;
type QueuedAudit = Queued & WaitingAudit & { exclusive: boolean; moveTo: (position: number) => void };

/** Estimate before any audit has ended: the duration of an audit of a small page. */
const firstGuessMs = 10_000;
const remembered = 20;

const median = (values: readonly number[]): number => upperMedianOf(values) ?? firstGuessMs;

/** Returns a function that calls back only if the position has changed. */
function createMove(onPosition: (position: number) => void): (position: number) => void {
  let at = 0;
  return position => {
    if (position === at) return;
    at = position;
    onPosition(position);
  };
}

/** Creates a queue with a max length in front of a fixed number of slots. */
export function createAuditQueue(slots: number, limit: number) {
  const queue = createFairQueue<QueuedAudit>();
  const first = new Set<WaitingAudit>();
  const stays: number[] = [];
  let arrivals = 0;
  let changes = 0;
  let running = 0;
  /** Whether an exclusive audit is running. */
  let isHeld = false;
  let closed = false;
  let whenEmpty: (() => void) | undefined;

  const remember = (stayMs: number) => {
    stays.push(stayMs);
    if (stays.length > remembered) stays.shift();
  };

  const hasRoom = (exclusive: boolean): boolean => !isHeld && (exclusive ? running === 0 : running < slots);

  const isFullFor = ({ isAdmitted = false }: EnterOptions): boolean => !isAdmitted && queue.size >= limit;

  const occupy = (isUsual: boolean, exclusive = false): AuditSlot => {
    running += 1;
    isHeld = exclusive;
    const since = performance.now();
    let released = false;
    return {
      release() {
        if (released) return;
        released = true;
        running -= 1;
        if (exclusive) isHeld = false;
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
    for (let [next] = queue.inOrder(); next && hasRoom(next.exclusive); [next] = queue.inOrder()) {
      queue.take();
      next.admit(occupy(true, next.exclusive));
    }
    reportPositions();
  };

  const reportPositions = () => {
    changes += 1;
    const change = changes;
    for (const [index, audit] of queue.inOrder().entries()) {
      audit.moveTo(index + 1);
      // A callback may cancel an audit, in which case all positions have already been reported again.
      if (change !== changes) return;
    }
  };

  /**
   * Error with the estimated time until another audit of this client gets a slot. Each audit moves up when one ends.
   */
  const queueFull = ({ client = '', isBatch }: EnterOptions, state: string): AnalysisError => {
    const waitMs = (median(stays) * queue.positionAfter(client, isBatch)) / slots;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new AnalysisError('queue_full', `${state}. Retry in ${retryAfterSeconds} s.`, { retryAfterSeconds });
  };

  const join =
    ({ client = '', isBatch, exclusive = false, onPosition = () => {} }: EnterOptions) =>
    (waiting: WaitingAudit) => {
      const moveTo = createMove(onPosition);
      const audit = { ...waiting, client, isBatch, exclusive, rank: arrivals++, moveTo };
      queue.add(audit);
      // An exclusive audit may have blocked the others, which can start now.
      return () => void (queue.remove(audit) && admitNext());
    };

  const joinFirst = (waiting: WaitingAudit) => {
    first.add(waiting);
    return () => void first.delete(waiting);
  };

  return {
    get running(): number {
      return running;
    },
    get queued(): number {
      return queue.size;
    },
    /**
     * Waits for a slot. Clients take turns; each client's audits are served in order. If the queue is full, a client with
     * fewer queued audits displaces the last audit of the client with the most.
     * @throws AnalysisError `queue_full`, immediately or when displaced, with the time after which this client may expect
     * a slot; `shutting_down`; the signal's reason when the client disconnects
     */
    async enter(signal: AbortSignal, options: EnterOptions = {}): Promise<AuditSlot> {
      const { client = '', isBatch, exclusive = false } = options;
      signal.throwIfAborted();
      if (closed) throw shuttingDown();
      if (queue.size === 0 && hasRoom(exclusive)) return occupy(true, exclusive);
      const isFull = isFullFor(options);
      const displaced = isFull ? queue.displacedBy(client, isBatch) : undefined;
      if (isFull && !displaced)
        throw queueFull(
          options,
          `All audit slots are busy and ${limit === 0 ? 'the queue is disabled' : 'the queue is full'}`,
        );
      if (displaced) queue.remove(displaced);
      const slot = waitInQueue(signal, join(options));
      displaced?.refuse(
        queueFull(displaced, 'The queue is full, and this audit was removed to make room for another client'),
      );
      admitNext();
      return slot;
    },
    /**
     * Waits for the next slot, ahead of all others: for a short last step of work that has already had its turn. Its
     * duration does not affect estimates of how long an audit takes.
     * @throws AnalysisError `shutting_down`; the signal's reason when the client disconnects
     */
    async enterFirst(signal: AbortSignal): Promise<AuditSlot> {
      signal.throwIfAborted();
      if (closed) throw shuttingDown();
      return hasRoom(false) ? occupy(false) : waitInQueue(signal, joinFirst);
    },
    /** Refuses new and queued audits, and waits at most `graceMs` until every slot is released. */
    async close(graceMs: number): Promise<void> {
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
export type AuditQueue = ReturnType<typeof createAuditQueue>;
