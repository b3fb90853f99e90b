import { AnalysisError, type ErrorCode, faultOf, isDefect } from '../../contract/errors.ts';
import type { CacheStore, LastingCache, StoredResult } from './store.ts';

/** What was produced, here or by another instance. */
export type Obtained = {
  result: StoredResult;
  /** Another instance has produced it, or has stored it meanwhile. */
  isJoined: boolean;
  /** Whether it may be stored now: asked at the moment of storing. */
  mayKeep(): boolean;
};

/** Has something produced: by this process, or by whichever of several instances is at it already. */
export type Obtain = (
  key: string,
  produce: Produce,
  options: { signal: AbortSignal; overtakes: boolean },
) => Promise<Obtained>;

export type CachedResult = {
  result: StoredResult;
  status: 'hit' | 'miss' | 'joined' | 'stale';
  /** Why the analyser was asked, unless it is a hit: nothing was stored, it had expired, or the client forced it. */
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
   * The stored result for a key; else that of a request in flight, which the client joins; else a new one.
   * `produce` gets a signal that aborts only when every client that waits for it has disconnected.
   * Failures are not stored; nor is a result whose production started before the last clear. Where the analyser failed,
   * and not the page, a stale result answers for as long as it may, but not for a client that wants a fresh one.
   * @throws what `produce` throws; the signal's reason when this client disconnected
   */
  resolve(key: string, produce: Produce, client: { signal: AbortSignal; fresh: boolean }): Promise<CachedResult>;
  /** Empties the cache and returns how many results it held. @throws where what outlives the process stays */
  clear(): Promise<number>;
  status(): { store: string; entries: number; bytes: number };
};

/** What else the owner of a cache can do that several instances share. */
export type OwnedCache = ResultCache & {
  /** Another instance has cleared: nothing that is here, or was started before, stays. */
  empty(): void;
  /** Another instance has stored a newer result. */
  drop(key: string, storedBeforeMs: number): void;
  /** Another instance was forced to ask again: later clients must not join what is in flight here. */
  overtake(key: string): void;
};

export type Produce = (signal: AbortSignal) => Promise<Omit<StoredResult, 'storedAt'>>;

/** A request of the analyser in flight, and the clients that joined it. */
type InFlight = {
  result: Promise<StoredResult>;
  asked: NonNullable<CachedResult['asked']>;
  clients: number;
  abort: AbortController;
  /** A forced request started after this one: its result is newer, and must not be replaced. */
  overtaken: boolean;
  /** It came from another instance. */
  isJoined: boolean;
};

/** Settles as the request does, or rejects as soon as this client disconnects; the last to disconnect cancels it. */
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

/** Failures that say nothing of the page: of the remote analyser, or of the machine that audits for it. */
const isCoveredByStale = (code: ErrorCode): boolean =>
  !isDefect(code) && (faultOf(code) === 'remote' || faultOf(code) === 'machine');

export type ResultCacheSettings = {
  ttlMs: number;
  /** After that, how long a stale result may still answer for an analyser that fails. */
  staleMs: number;
  now?: () => number;
  /** Behind the store; undefined: nothing outlives the process. */
  lasting?: LastingCache | undefined;
  /** Undefined: by this process. */
  obtain?: Obtain | undefined;
};

const obtainHere =
  (now: () => number): Obtain =>
  async (_key, produce, { signal }) => {
    const fields = await produce(signal);
    return { result: { ...fields, storedAt: now() }, isJoined: false, mayKeep: () => true };
  };

export function createResultCache(
  store: CacheStore,
  { ttlMs, staleMs, now = Date.now, lasting, obtain = obtainHere(now) }: ResultCacheSettings,
): OwnedCache {
  const inFlight = new Map<string, InFlight>();
  /** Results with the time of the one before them. */
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

  /** What is stored and may still answer; what may not is removed. */
  const find = (key: string): { result: StoredResult; isFresh: boolean } | undefined => {
    const result = store.get(key);
    if (!result) return undefined;
    const ageMs = now() - result.storedAt;
    if (ageMs < ttlMs) return { result, isFresh: true };
    if (ageMs < ttlMs + staleMs) return { result, isFresh: false };
    store.remove(key);
    lasting?.remove(key, result);
    return undefined;
  };

  /** Whether what outlives the process may have a better one. */
  const isWanting = (key: string, shared: boolean): boolean => {
    const result = store.get(key);
    return !result || (shared && now() - result.storedAt >= ttlMs);
  };

  const restoring = new Map<string, Promise<void>>();
  /** Brings what outlived the last process into memory, once for all clients that ask at the same time. */
  const restore = (key: string, from: LastingCache): Promise<void> => {
    const begun = generation;
    const running =
      restoring.get(key) ??
      from
        .get(key)
        .then(result => {
          // Since then it may have been cleared, or measured.
          const newest = store.get(key);
          if (result && begun === generation && (!newest || newest.storedAt < result.storedAt)) store.set(key, result);
        })
        .finally(() => restoring.delete(key));
    restoring.set(key, running);
    return running;
  };

  /** Undefined if there is nothing to wait for. */
  const restoreMissing = (key: string): Promise<void> | undefined =>
    lasting && isWanting(key, lasting.isShared) && !inFlight.has(key) ? restore(key, lasting) : undefined;

  type Wanted = { key: string; produce: Produce; asked: InFlight['asked']; overtakes: boolean };
  function start({ key, produce, asked, overtakes }: Wanted): InFlight {
    const abort = new AbortController();
    const begun = generation;
    const produced = obtain(key, produce, { signal: abort.signal, overtakes }).then(({ result, isJoined, mayKeep }) => {
      request.isJoined = isJoined;
      const before = store.get(key);
      if (before?.fetchedAt === result.fetchedAt && !(isJoined && before.storedAt === result.storedAt))
        repeated.add(result);
      if (begun === generation && !request.overtaken && ttlMs > 0 && mayKeep()) {
        store.set(key, result);
        lasting?.set(key, result);
      }
      return result;
    });
    const request: InFlight = { result: produced, asked, clients: 0, abort, overtaken: false, isJoined: false };
    const before = inFlight.get(key);
    if (before) before.overtaken = true;
    inFlight.set(key, request);
    const settle = () => {
      // After a clear, or a forced request, another one may be in flight for the same key.
      if (inFlight.get(key) === request) inFlight.delete(key);
    };
    produced.then(settle, settle);
    return request;
  }

  /** Joins the request in flight, or starts one. */
  async function joinOrStart(wanted: Wanted, signal: AbortSignal) {
    const running = inFlight.get(wanted.key);
    // One that its last client has just cancelled gives no result: do not join it.
    if (running && !running.abort.signal.aborted)
      return toCached(await join(running, signal), { status: 'joined', asked: running.asked });
    return startNew(wanted, signal);
  }

  async function startNew(wanted: Wanted, signal: AbortSignal) {
    const request = start(wanted);
    const result = await join(request, signal);
    return toCached(result, { status: request.isJoined ? 'joined' : 'miss', asked: wanted.asked });
  }

  /** What covers a failure of the analyser. Looked up again: since then it may have been cleared, or renewed. */
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

  return {
    async resolve(key, produce, { signal, fresh }) {
      const restored = restoreMissing(key);
      if (restored) await restored;
      // A client that has disconnected must not start a request, nor overtake another's.
      signal.throwIfAborted();
      const stored = find(key);
      if (fresh) return startNew({ key, produce, asked: stored ? 'request' : 'miss', overtakes: true }, signal);
      if (stored?.isFresh) return toCached(stored.result, { status: 'hit' });
      return resolveCovered({ key, produce, asked: stored ? 'stale' : 'miss', overtakes: false }, signal);
    },
    async clear() {
      const cleared = empty();
      if (!lasting) return cleared;
      const lastingCleared = await lasting.clear();
      // What others cleared a moment ago may still have been in memory here.
      return lasting.isShared ? lastingCleared : Math.max(cleared, lastingCleared);
    },
    empty,
    drop(key, storedBeforeMs) {
      const result = store.get(key);
      if (result && result.storedAt < storedBeforeMs) store.remove(key);
    },
    overtake: key => void inFlight.delete(key),
    status: () => ({ store: store.name, entries: store.entries, bytes: store.bytes }),
  };
}
