import { AnalysisError, type ErrorCode, faultOf, isDefect } from '../../contract/errors.ts';
import type { CacheStore, LastingCache, StoredResult } from './store.ts';

export type CachedResult = {
  result: StoredResult;
  status: 'hit' | 'miss' | 'joined' | 'stale';
  /**
   * Reason why the analyser was called: no stored result, an expired one, or a forced request. Absent if a stored
   * result answers.
   */
  asked?: 'miss' | 'stale' | 'request';
  /** The analyser's error, if a stale result is returned instead. */
  failure?: AnalysisError;
  /** Whether the analyser returned the measurement that was already stored. */
  repeated?: boolean;
  /** Whole seconds since the result was stored. */
  ageSeconds: number;
  /** Whole seconds until the result expires; negative if it has expired. */
  ttlSeconds: number;
  expiresAt: Date;
};

export type ResultCache = {
  /**
   * Returns the stored result for a key, joins the request in flight, or produces a new result. The signal of `produce`
   * aborts only when every waiting client has disconnected. Failures are not stored, nor is a result whose production
   * started before the last clear. If the analyser fails, rather than the page, a stale result answers within its
   * limits, unless the client wants a fresh one. A private result is neither stored nor shared.
   * @throws the errors of `produce`; the signal's reason when this client disconnects
   */
  resolve(
    key: string,
    produce: Produce,
    client: { signal: AbortSignal; fresh: boolean; isPrivate?: boolean },
  ): Promise<CachedResult>;
  /** Empties the cache and returns the number of removed results. @throws if the persistent cache cannot be emptied */
  clear(): Promise<number>;
  status(): { store: string; entries: number; bytes: number };
};

/** Additional operations for the owner of a cache that several processes share. */
export type OwnedCache = ResultCache & {
  /** Empties the memory and detaches requests in flight, because another instance has cleared the cache. */
  empty(): void;
  /** Discards a result, because another instance has stored a newer one. */
  drop(key: string, storedBeforeMs: number): void;
};

type Produce = (signal: AbortSignal) => Promise<Omit<StoredResult, 'storedAt'>>;

/** A request in flight to the analyser, and its clients. */
type InFlight = {
  result: Promise<StoredResult>;
  asked: NonNullable<CachedResult['asked']>;
  clients: number;
  abort: AbortController;
  /** Whether another request for the key started after this one. Its result is newer and must not be replaced. */
  overtaken: boolean;
};

/**
 * Waits for the request, or rejects as soon as this client disconnects. The last client to disconnect cancels the
 * request.
 */
function join(request: InFlight, signal: AbortSignal): Promise<StoredResult> {
  request.clients += 1;
  return new Promise((resolve, reject) => {
    const onDisconnect = () => {
      request.clients -= 1;
      if (request.clients === 0) request.abort.abort(signal.reason);
      reject(signal.reason);
    };
    if (signal.aborted) return onDisconnect();
    signal.addEventListener('abort', onDisconnect, { once: true });
    request.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onDisconnect));
  });
}

/** Returns whether a failure concerns the analyser or its machine, rather than the page. */
const isCoveredByStale = (code: ErrorCode): boolean =>
  !isDefect(code) && (faultOf(code) === 'remote' || faultOf(code) === 'machine');

export type ResultCacheSettings = {
  ttlMs: number;
  /** Time after its expiry during which a stale result may answer for a failing analyser, in milliseconds. */
  staleMs: number;
  now?: () => number;
  /** Persistent cache behind the memory. If undefined, results do not outlive the process. */
  lasting?: LastingCache | undefined;
};

export function createResultCache(
  store: CacheStore,
  { ttlMs, staleMs, now = Date.now, lasting }: ResultCacheSettings,
): OwnedCache {
  const inFlight = new Map<string, InFlight>();
  /** Results whose load has the same time as that of the previous result. */
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

  /** Returns the time since a result was stored, also if it is in the future because a clock was ahead. */
  const toAgeMs = ({ storedAt }: StoredResult): number => Math.abs(now() - storedAt);

  /** Returns the stored result if it may still answer; otherwise removes it. */
  const find = (key: string): { result: StoredResult; isFresh: boolean } | undefined => {
    const result = store.get(key);
    if (!result) return undefined;
    const ageMs = toAgeMs(result);
    if (ageMs < ttlMs) return { result, isFresh: true };
    if (ageMs < ttlMs + staleMs) return { result, isFresh: false };
    store.remove(key);
    lasting?.remove(key, result);
    return undefined;
  };

  /** Returns whether the persistent cache may have a better result. */
  const isWanting = (key: string): boolean => {
    const result = store.get(key);
    return !result || toAgeMs(result) >= ttlMs;
  };

  const restoring = new Map<string, Promise<void>>();
  /** Loads a result from the persistent cache into memory, once for all clients that request it at the same time. */
  const restore = (key: string, from: LastingCache): Promise<void> => {
    const begun = generation;
    const running =
      restoring.get(key) ??
      from
        .get(key)
        .then(result => {
          // The result may have been cleared or measured in the meantime.
          const newest = store.get(key);
          if (result && begun === generation && (!newest || newest.storedAt < result.storedAt)) store.set(key, result);
        })
        .finally(() => restoring.delete(key));
    restoring.set(key, running);
    return running;
  };

  /** Number of clears in progress. The persistent cache may still contain the results that they remove. */
  let clears = 0;

  /** Loads a missing result from the persistent cache; undefined if no load is needed. */
  const restoreMissing = (key: string): Promise<void> | undefined =>
    lasting && clears === 0 && isWanting(key) && !inFlight.has(key) ? restore(key, lasting) : undefined;

  type Wanted = { key: string; produce: Produce; asked: InFlight['asked'] };
  function start({ key, produce, asked }: Wanted): InFlight {
    const abort = new AbortController();
    const begun = generation;
    const produced = produce(abort.signal).then(fields => {
      const result: StoredResult = { ...fields, storedAt: now() };
      if (store.get(key)?.fetchedAt === result.fetchedAt) repeated.add(result);
      if (begun === generation && !request.overtaken && ttlMs > 0) {
        store.set(key, result);
        lasting?.set(key, result);
      }
      return result;
    });
    const request: InFlight = { result: produced, asked, clients: 0, abort, overtaken: false };
    const before = inFlight.get(key);
    if (before) before.overtaken = true;
    inFlight.set(key, request);
    const settle = () => {
      // Another request may be in flight for the same key, after a clear or a forced request.
      if (inFlight.get(key) === request) inFlight.delete(key);
    };
    produced.then(settle, settle);
    return request;
  }

  /** Joins the request in flight, or starts one. */
  async function joinOrStart(wanted: Wanted, signal: AbortSignal) {
    const running = inFlight.get(wanted.key);
    // A request that its last client has just cancelled yields no result, so it is not joined.
    if (running && !running.abort.signal.aborted)
      return toCached(await join(running, signal), { status: 'joined', asked: running.asked });
    return startNew(wanted, signal);
  }

  async function startNew(wanted: Wanted, signal: AbortSignal) {
    const request = start(wanted);
    const result = await join(request, signal);
    return toCached(result, { status: 'miss', asked: wanted.asked });
  }

  /**
   * Returns a stale result for a failure of the analyser. It is read again, because it may have been cleared or renewed
   * in the meantime.
   */
  const findCover = (key: string, error: unknown): CachedResult | undefined => {
    if (!(error instanceof AnalysisError) || !isCoveredByStale(error.code)) return undefined;
    const last = find(key);
    return last && toCached(last.result, last.isFresh ? { status: 'hit' } : { status: 'stale', failure: error });
  };

  async function resolveCovered(wanted: Wanted, signal: AbortSignal) {
    try {
      return await joinOrStart(wanted, signal);
    } catch (error) {
      signal.throwIfAborted();
      const cover = findCover(wanted.key, error);
      if (!cover) throw error;
      return cover;
    }
  }

  const empty = (): number => {
    generation += 1;
    inFlight.clear();
    restoring.clear();
    return store.clear();
  };

  async function resolveShared(
    key: string,
    produce: Produce,
    { signal, fresh }: { signal: AbortSignal; fresh: boolean },
  ) {
    const known = fresh ? undefined : find(key);
    if (known?.isFresh) return toCached(known.result, { status: 'hit' });
    const restored = restoreMissing(key);
    if (restored) await restored;
    // A client that has disconnected must not start a request or overtake another one.
    signal.throwIfAborted();
    const stored = find(key);
    if (fresh) return startNew({ key, produce, asked: stored ? 'request' : 'miss' }, signal);
    if (stored?.isFresh) return toCached(stored.result, { status: 'hit' });
    return resolveCovered({ key, produce, asked: stored ? 'stale' : 'miss' }, signal);
  }

  return {
    async resolve(key, produce, { isPrivate, ...client }) {
      client.signal.throwIfAborted();
      if (!isPrivate) return resolveShared(key, produce, client);
      return toCached({ ...(await produce(client.signal)), storedAt: now() }, { status: 'miss', asked: 'miss' });
    },
    async clear() {
      const cleared = empty();
      if (!lasting) return cleared;
      clears += 1;
      // Memory here may still have contained results that another instance has just cleared, so they do not count.
      return lasting.clear().finally(() => {
        clears -= 1;
      });
    },
    empty,
    drop(key, storedBeforeMs) {
      const result = store.get(key);
      if (result && result.storedAt < storedBeforeMs) store.remove(key);
    },
    status: () => ({ store: store.name, entries: store.entries, bytes: store.bytes }),
  };
}
