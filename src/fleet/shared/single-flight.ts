/**
 * Single flight across instances: if several need the same value at the same time, one produces it, and the others wait
 * for its outcome. A row is the claim of the producer. The others poll it every second, and immediately after a notice
 * that it has ended.
 */
import { randomUUID } from 'node:crypto';
import { AnalysisError, fromPlainError, type PlainError } from '../../contract/errors.ts';
import { fromValue, toValue } from '../../storage/cache/lasting-cache.ts';
import type { Obtain, Obtained, Produce } from '../../storage/cache/result-cache.ts';
import type { StoredResult } from '../../storage/cache/store.ts';
import { beatMs, DatabaseAwayError } from '../../storage/database/availability.ts';
import type { FleetDatabase } from '../database.ts';
import type { Notices } from '../notices.ts';
import { createNews } from './await-notice.ts';
import {
  type Claimed,
  claimRequest,
  dropRequest,
  endRequest,
  type Followed,
  followRequest,
  overtakeRequest,
  renewRequests,
} from './request-rows.ts';

export type SingleFlightSettings = {
  database: FleetDatabase;
  notices: Notices;
  /** Name of this instance, for operators who read the table. */
  owner: string;
  ttlMs: number;
  now: () => number;
  /** Returns the currently stored value. @throws DatabaseAwayError */
  read(name: string): Promise<StoredResult | undefined>;
  /** Returns whether this generation is still current, as far as this instance knows. */
  isCurrent(generation: number): boolean;
  /**
   * Reports that another instance started a forced request with this name. Later clients must not join the request
   * here.
   */
  onOvertaken(name: string): void;
};

export type SingleFlight = {
  obtain: Obtain;
  /** Hands over all requests to the instances that follow them. */
  close(): Promise<void>;
};

type ObtainOptions = Parameters<Obtain>[2];
type Led = {
  name: string;
  /** Aborts when the last client of this instance has disconnected. */
  signal: AbortSignal;
  /** Aborts the production when no client of any instance is waiting. */
  production: AbortController;
};

/** Max number of attempts of a forced request to become the newest. */
const maxTries = 5;

const toOutcome = (error: unknown): Buffer =>
  Buffer.from(JSON.stringify(error instanceof AnalysisError ? error.toPlain() : null));

/** Parses a failure. An error without a code is a bug in the other instance, whose log has the cause. */
function toFailure(content: Uint8Array): Error {
  const plain = JSON.parse(Buffer.from(content).toString('utf8')) as PlainError | null;
  return plain ? fromPlainError(plain) : new Error('The instance that computed it failed. Its log shows the cause.');
}

/**
 * Returns whether followers get this failure too. After a disconnect or a shutdown, one of them starts again instead.
 */
const isForOthers = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && !(error instanceof AnalysisError && error.code === 'shutting_down');

export function createSingleFlight(settings: SingleFlightSettings): SingleFlight {
  const { database, notices, owner, ttlMs, now, read, isCurrent, onOvertaken } = settings;
  const { availability } = database;
  const ask = availability.ask;
  /** The latest request of each name that this instance leads or follows. */
  const latest = new Map<string, string>();
  const leading = new Map<string, Led>();
  const news = createNews(notices, 'requests', 'ended');

  const overtaken = (name: string, id: string): void => {
    // If this instance itself overtook the request, `latest` contains its successor.
    if (latest.get(name) === id) onOvertaken(name);
  };

  /** Ends a request without clients on this instance, unless other instances are still waiting for it. */
  const endIfAlone = async (id: string, { signal, production }: Led): Promise<void> => {
    if (await ask(() => dropRequest(database, id)).catch(() => true)) production.abort(signal.reason);
  };

  const stopBeating = availability.onBeat(async () => {
    if (leading.size === 0) return;
    for (const id of await ask(() => renewRequests(database, [...leading.keys()])))
      overtaken(leading.get(id)?.name ?? '', id);
    await Promise.all([...leading].filter(([, { signal }]) => signal.aborted).map(([id, led]) => endIfAlone(id, led)));
  });

  /** Removes the request, so that its followers start again. */
  const handOver = async (id: string): Promise<void> => {
    await ask(() => dropRequest(database, id, true)).catch(() => {});
    await notices.publish('requests', { ended: id });
  };

  async function claim(name: string, isForced: boolean): Promise<{ id: string; claimed: Claimed }> {
    const id = randomUUID();
    for (let left = isForced ? maxTries : 0; left > 0; left -= 1) {
      const claimed = await ask(() => overtakeRequest(database, { id, name, owner }));
      if (claimed) return { id, claimed };
    }
    // Other instances have started forced requests in the meantime. The newest one is recent enough.
    return { id, claimed: await ask(() => claimRequest(database, { id, name, owner })) };
  }

  /** Returns a value that another instance stored after the cache was read. */
  const findFresh = async (name: string): Promise<StoredResult | undefined> => {
    const stored = await read(name).catch(() => undefined);
    // A result of an instance whose clock was ahead does not stay fresh until that time.
    return stored && Math.abs(now() - stored.storedAt) < ttlMs ? stored : undefined;
  };

  /**
   * Ends a request.
   * @returns whether the result may be stored here; without the database, each instance stores its own
   */
  const end = async (ending: Parameters<typeof endRequest>[1]): Promise<boolean> => {
    try {
      const { isKept, isFollowed } = await ask(() => endRequest(database, ending));
      if (isFollowed) void notices.publish('requests', { ended: ending.id });
      if (isKept) void notices.publish('cached', { name: ending.name, storedAtMs: ending.storedAtMs });
      return isKept;
    } catch (error) {
      if (error instanceof DatabaseAwayError) return true;
      throw error;
    }
  };

  async function lead(name: string, { id, generation }: Claimed, produce: Produce, options: ObtainOptions) {
    const led: Led = { name, signal: options.signal, production: new AbortController() };
    const { signal } = led.production;
    const onDisconnect = () => void endIfAlone(id, led);
    leading.set(id, led);
    options.signal.addEventListener('abort', onDisconnect, { once: true });
    try {
      const found = options.overtakes ? undefined : await findFresh(name);
      const result = found ?? { ...(await produce(signal)), storedAt: now() };
      const storedAtMs = found || ttlMs === 0 ? undefined : result.storedAt;
      const isKept = await end({ id, name, ended: 'result', content: toValue(result), storedAtMs });
      const mayKeep = () => (isKept || found !== undefined) && isCurrent(generation);
      return { result, isJoined: found !== undefined, mayKeep };
    } catch (error) {
      if (isForOthers(error, signal))
        await end({ id, name, ended: 'failure', content: toOutcome(error), storedAtMs: undefined });
      else await handOver(id);
      throw error;
    } finally {
      leading.delete(id);
      options.signal.removeEventListener('abort', onDisconnect);
    }
  }

  /** @returns undefined for a value that a different version wrote @throws the failure of the other instance */
  const toObtained = ({ ended, content, isKept, generation }: Followed): Obtained | undefined => {
    if (ended === 'failure') throw toFailure(content);
    const result = fromValue(content);
    return result && { result, isJoined: true, mayKeep: () => isKept && isCurrent(generation) };
  };

  /** @returns undefined if the request ended without an outcome, so that an instance must start again */
  async function follow(name: string, id: string, follower: string, signal: AbortSignal) {
    for (;;) {
      const seen = await ask(() => followRequest(database, id, follower));
      if (!seen || (seen.isDead && !seen.ended)) return undefined;
      if (seen.ended) return toObtained(seen);
      if (!seen.isCurrent) overtaken(name, id);
      await news.wait(id, beatMs, signal);
    }
  }

  /** Leads a request, or follows one. */
  async function obtainOnce(name: string, produce: Produce, options: ObtainOptions): Promise<Obtained | undefined> {
    const { id, claimed } = await claim(name, options.overtakes);
    const isOurs = claimed.id === id;
    if (options.signal.aborted) {
      if (isOurs) await handOver(id);
      options.signal.throwIfAborted();
    }
    latest.set(name, claimed.id);
    try {
      return await (isOurs ? lead(name, claimed, produce, options) : follow(name, claimed.id, id, options.signal));
    } finally {
      if (latest.get(name) === claimed.id) latest.delete(name);
    }
  }

  return {
    async obtain(name, produce, options) {
      try {
        for (;;) {
          const obtained = await obtainOnce(name, produce, options);
          if (obtained) return obtained;
        }
      } catch (error) {
        options.signal.throwIfAborted();
        if (!(error instanceof DatabaseAwayError)) throw error;
        // Without the database, this instance produces the result alone. The next beat empties the memory if the cache
        // was cleared in the meantime.
        return {
          result: { ...(await produce(options.signal)), storedAt: now() },
          isJoined: false,
          mayKeep: () => true,
        };
      }
    },
    async close() {
      stopBeating();
      for (const { signal, production } of leading.values()) if (signal.aborted) production.abort(signal.reason);
      await Promise.all([...leading.keys()].map(handOver));
      news.close();
    },
  };
}
