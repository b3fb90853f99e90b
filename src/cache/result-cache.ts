import { AnalysisError, type ErrorCode } from '../errors.ts';
import type { CacheStore, StoredResult } from './store.ts';

export type CachedResult = {
  result: StoredResult;
  status: 'hit' | 'miss' | 'joined' | 'stale';
  /** Why it was asked for, unless it is a hit: nothing was stored, what was had expired, or the caller wanted it anew. */
  asked?: 'miss' | 'stale' | 'request';
  /** Stale: what the analyser failed with. */
  failure?: AnalysisError;
  /** The analyser gave the measurement that was stored already, and no new one. */
  repeated?: boolean;
  /** Whole seconds since the result was stored. */
  ageSeconds: number;
  /** Whole seconds until it expires; negative when it has. */
  ttlSeconds: number;
  expiresAt: Date;
};

export type ResultCache = {
  /**
   * The stored result for a key; else the one that is being produced for somebody else right now; else a new one.
   * `produce` gets a signal that aborts only when every caller that waits for it has left.
   * Failures are not stored; nor is a result whose production began before the last clear. Where the analyser failed,
   * and not the page, an expired result answers for as long as it may; who wants a fresh one gets none.
   * @throws what `produce` throws; the signal's reason when this caller left
   */
  resolve(key: string, produce: Produce, caller: { signal: AbortSignal; fresh: boolean }): Promise<CachedResult>;
  /** Empties the cache and returns how many results it held. */
  clear(): Promise<number>;
  status(): { store: string; entries: number; bytes: number };
};

type Produce = (signal: AbortSignal) => Promise<Omit<StoredResult, 'storedAt'>>;

type Flight = {
  result: Promise<StoredResult>;
  asked: NonNullable<CachedResult['asked']>;
  waiting: number;
  abort: AbortController;
  /** A forced run began after this one: what this one brings is older, and must not replace it. */
  overtaken: boolean;
};

/** Settles as the flight does, or rejects as soon as this caller leaves; the last to leave takes the flight along. */
function board(flight: Flight, signal: AbortSignal): Promise<StoredResult> {
  flight.waiting += 1;
  return new Promise((resolve, reject) => {
    const onLeave = () => {
      flight.waiting -= 1;
      if (flight.waiting === 0) flight.abort.abort(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) return onLeave();
    signal.addEventListener('abort', onLeave, { once: true });
    flight.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onLeave));
  });
}

/**
 * Failures that say nothing of the page: of the remote analyser, or of the machine that audits for it. `internal` is
 * not among them: a fault of our own should be seen.
 */
const coveredByStale: ReadonlySet<ErrorCode> = new Set([
  'psi_unavailable',
  'psi_bad_response',
  'psi_key_rejected',
  'psi_quota_exceeded',
  'psi_timeout',
  'lighthouse_unavailable',
  'lighthouse_timeout',
  'queue_full',
  'shutting_down',
]);

export type ResultCacheSettings = {
  ttlMs: number;
  /** After that, how long an expired result may still answer for an analyser that fails. */
  staleMs: number;
  now?: () => number;
};

export function createResultCache(
  store: CacheStore,
  { ttlMs, staleMs, now = Date.now }: ResultCacheSettings,
): ResultCache {
  const flights = new Map<string, Flight>();
  /** Results that came with the time of the one before them. */
  const repeated = new WeakSet<StoredResult>();
  let generation = 0;

  const toCached = (result: StoredResult, facts: Pick<CachedResult, 'status' | 'asked' | 'failure'>): CachedResult => {
    const ageMs = Math.max(0, now() - result.storedAt);
    return {
      result,
      ...facts,
      ...(repeated.has(result) && facts.status !== 'hit' ? { repeated: true } : {}),
      ageSeconds: Math.floor(ageMs / 1000),
      ttlSeconds: Math.floor((ttlMs - ageMs) / 1000),
      expiresAt: new Date(result.storedAt + ttlMs),
    };
  };

  /** What is stored and of any use still; what is not is let go. */
  const find = (key: string): { result: StoredResult; isFresh: boolean } | undefined => {
    const result = store.get(key);
    if (!result) return undefined;
    const ageMs = now() - result.storedAt;
    if (ageMs < ttlMs) return { result, isFresh: true };
    if (ageMs < ttlMs + staleMs) return { result, isFresh: false };
    store.remove(key);
    return undefined;
  };

  function depart(key: string, produce: Produce, asked: Flight['asked']): Flight {
    const abort = new AbortController();
    const begun = generation;
    const produced = produce(abort.signal).then(fields => {
      const result = { ...fields, storedAt: now() };
      if (store.get(key)?.fetchedAt === result.fetchedAt) repeated.add(result);
      if (begun === generation && !flight.overtaken && ttlMs > 0) store.set(key, result);
      return result;
    });
    const flight: Flight = { result: produced, asked, waiting: 0, abort, overtaken: false };
    const before = flights.get(key);
    if (before) before.overtaken = true;
    flights.set(key, flight);
    const land = () => {
      // A clear or a forced run may have put another flight in this one's place.
      if (flights.get(key) === flight) flights.delete(key);
    };
    produced.then(land, land);
    return flight;
  }

  /** Boards the flight that is under way, or a new one. */
  async function fly(key: string, produce: Produce, signal: AbortSignal, asked: Flight['asked']) {
    const running = flights.get(key);
    // A flight that its last caller has just given up is lost: do not board it.
    if (running && !running.abort.signal.aborted)
      return toCached(await board(running, signal), { status: 'joined', asked: running.asked });
    return flyAlone(key, produce, signal, asked);
  }

  const flyAlone = async (key: string, produce: Produce, signal: AbortSignal, asked: Flight['asked']) =>
    toCached(await board(depart(key, produce, asked), signal), { status: 'miss', asked });

  /** What still answers for a failure of the analyser. Looked up anew: since then it may have been cleared, or renewed. */
  const findCover = (key: string, error: unknown): CachedResult | undefined => {
    if (!(error instanceof AnalysisError) || !coveredByStale.has(error.code)) return undefined;
    const last = find(key);
    return last && toCached(last.result, last.isFresh ? { status: 'hit' } : { status: 'stale', failure: error });
  };

  return {
    async resolve(key, produce, { signal, fresh }) {
      // Who has left already must not start a run, nor overtake another's.
      signal.throwIfAborted();
      const stored = find(key);
      if (fresh) return flyAlone(key, produce, signal, stored ? 'request' : 'miss');
      if (stored?.isFresh) return toCached(stored.result, { status: 'hit' });
      try {
        return await fly(key, produce, signal, stored ? 'stale' : 'miss');
      } catch (error) {
        signal.throwIfAborted();
        const cover = findCover(key, error);
        if (!cover) throw error;
        return cover;
      }
    },
    async clear() {
      generation += 1;
      flights.clear();
      return store.clear();
    },
    status: () => ({ store: store.name, entries: store.entries, bytes: store.bytes }),
  };
}
