/**
 * Single flight over instances: of all that want the same at once, one produces it, and the others wait for its
 * outcome. A row is the claim of the one that produces; the others look at it each second, and as soon as a notice says
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
import { createNews } from './news.ts';
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
  /** Names this instance, for people who look into the table. */
  owner: string;
  ttlMs: number;
  now: () => number;
  /** The value as it is stored now. @throws DatabaseAwayError */
  read(name: string): Promise<StoredResult | undefined>;
  /**
   * Whether a request that started, or was stored, under this generation is not cleared yet, as far as is known here.
   */
  isCurrent(generation: number): boolean;
  /** Another instance was forced to start again with this name: later clients must not join what is in flight here. */
  onOvertaken(name: string): void;
};

export type SingleFlight = {
  obtain: Obtain;
  /** Hands all requests over to the instances that follow them. */
  close(): Promise<void>;
};

type ObtainOptions = Parameters<Obtain>[2];
type Led = {
  name: string;
  /** Aborts when the last client of this instance has disconnected. */
  signal: AbortSignal;
  /** Aborts the production: no client of any instance waits any more. */
  production: AbortController;
};

/** How often a forced request tries to be the newest. */
const maxTries = 5;

const toOutcome = (error: unknown): Buffer =>
  Buffer.from(JSON.stringify(error instanceof AnalysisError ? error.toPlain() : null));

/** An error without a code is a defect of the instance that ran into it: its log has it, with the cause. */
function toFailure(content: Uint8Array): Error {
  const plain = JSON.parse(Buffer.from(content).toString('utf8')) as PlainError | null;
  return plain ? fromPlainError(plain) : new Error('The instance that computed it failed. Its log contains the cause.');
}

/** The end of clients, or of an instance, says nothing about what was requested: another instance takes over. */
const isForOthers = (error: unknown, signal: AbortSignal): boolean =>
  !signal.aborted && !(error instanceof AnalysisError && error.code === 'shutting_down');

export function createSingleFlight(settings: SingleFlightSettings): SingleFlight {
  const { database, notices, owner, ttlMs, now, read, isCurrent, onOvertaken } = settings;
  const { availability } = database;
  const ask = availability.ask;
  /** The request of each name that this instance leads or follows, the latest one. */
  const latest = new Map<string, string>();
  const leading = new Map<string, Led>();
  const news = createNews(notices, 'requests', 'ended');

  const overtaken = (name: string, id: string): void => {
    // A request that this instance overtook itself has its successor here.
    if (latest.get(name) === id) onOvertaken(name);
  };

  /** Its own clients are gone: it continues for as long as other instances wait. */
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
    // So many others were forced to ask again meanwhile: the newest of them is as good.
    return { id, claimed: await ask(() => claimRequest(database, { id, name, owner })) };
  }

  /** Whether another instance has stored it since the cache was read. */
  const findFresh = async (name: string): Promise<StoredResult | undefined> => {
    const stored = await read(name).catch(() => undefined);
    return stored && now() - stored.storedAt < ttlMs ? stored : undefined;
  };

  /** @returns whether the result may be stored here; without the database each instance stores its own */
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

  /** @returns undefined for a value of another version. @throws what the other instance failed with */
  const toObtained = ({ ended, content, isKept, generation }: Followed): Obtained | undefined => {
    if (ended === 'failure') throw toFailure(content);
    const result = fromValue(content);
    return result && { result, isJoined: true, mayKeep: () => isKept && isCurrent(generation) };
  };

  /** @returns undefined if the request is gone without an outcome, and an instance has to start again */
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
        // Without the database this instance produces it by itself. A beat empties the memory if it was cleared then.
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
