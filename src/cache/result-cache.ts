import type { CacheStore, StoredResult } from './store.ts';

export type CachedResult = {
  result: StoredResult;
  status: 'hit' | 'miss' | 'joined';
  /** Whole seconds since the result was stored. */
  ageSeconds: number;
  /** Whole seconds until it expires. */
  ttlSeconds: number;
  expiresAt: Date;
};

export type ResultCache = {
  /**
   * The stored result for a key; else the one that is being produced for somebody else right now; else a new one.
   * `produce` gets a signal that aborts only when every caller that waits for it has left.
   * Failures are not stored; nor is a result whose production began before the last clear.
   * @throws what `produce` throws; the signal's reason when this caller left
   */
  resolve(
    key: string,
    produce: (signal: AbortSignal) => Promise<Omit<StoredResult, 'storedAt'>>,
    caller: { signal: AbortSignal; fresh: boolean },
  ): Promise<CachedResult>;
  /** Empties the cache and returns how many results it held. */
  clear(): Promise<number>;
  status(): { store: string; entries: number; bytes: number };
};

type Flight = {
  result: Promise<StoredResult>;
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

export function createResultCache(
  store: CacheStore,
  { ttlMs, now = Date.now }: { ttlMs: number; now?: () => number },
): ResultCache {
  const flights = new Map<string, Flight>();
  let generation = 0;

  const toCached = (result: StoredResult, status: CachedResult['status']): CachedResult => {
    const ageMs = Math.max(0, now() - result.storedAt);
    return {
      result,
      status,
      ageSeconds: Math.floor(ageMs / 1000),
      ttlSeconds: Math.floor((ttlMs - ageMs) / 1000),
      expiresAt: new Date(result.storedAt + ttlMs),
    };
  };

  const findFresh = (key: string): StoredResult | undefined => {
    const stored = store.get(key);
    return stored && now() - stored.storedAt < ttlMs ? stored : undefined;
  };

  function depart(key: string, produce: (signal: AbortSignal) => Promise<Omit<StoredResult, 'storedAt'>>): Flight {
    const abort = new AbortController();
    const begun = generation;
    const produced = produce(abort.signal).then(fields => {
      const result = { ...fields, storedAt: now() };
      if (begun === generation && !flight.overtaken && ttlMs > 0) store.set(key, result);
      return result;
    });
    const flight: Flight = { result: produced, waiting: 0, abort, overtaken: false };
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

  return {
    async resolve(key, produce, { signal, fresh }) {
      // Who has left already must not start a run, nor overtake another's.
      signal.throwIfAborted();
      const stored = fresh ? undefined : findFresh(key);
      if (stored) return toCached(stored, 'hit');
      const running = fresh ? undefined : flights.get(key);
      // A flight that its last caller has just given up is lost: do not board it.
      if (running && !running.abort.signal.aborted) return toCached(await board(running, signal), 'joined');
      return toCached(await board(depart(key, produce), signal), 'miss');
    },
    async clear() {
      generation += 1;
      flights.clear();
      return store.clear();
    },
    status: () => ({ store: store.name, entries: store.entries, bytes: store.bytes }),
  };
}
