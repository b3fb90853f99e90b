/**
 * Single flight over instances: of all that want the same at once, one produces it, and the others wait for what it
 * gets. Notices tell them at once; a look each second tells them, too, and finds out that the producer is dead.
 */
import { randomUUID } from 'node:crypto';
import type { Obtain, Obtained, Produce } from '../../../cache/result-cache.ts';
import type { StoredResult } from '../../../cache/store.ts';
import { fromValue, toValue } from '../../../records/lasting-cache.ts';
import { DatabaseAwayError } from '../reach.ts';
import { createFollowing } from './following.ts';
import { createLeading } from './leading.ts';
import { isForOthers, toFailure, toOutcome } from './outcome.ts';
import type { RequestParts } from './request-hooks.ts';
import { type Claimed, claimRequest, endRequest, overtakeRequest } from './request-rows.ts';

export type RequestSettings = RequestParts & {
  /** Of this instance, for people who look into the table. */
  owner: string;
  ttlMs: number;
  now: () => number;
  /** The value as it is stored now. @throws DatabaseAwayError */
  read(name: string): Promise<StoredResult | undefined>;
  /** Whether what was begun, or stored, under this generation is not cleared yet, as far as is known here. */
  isCurrent(generation: number): boolean;
  /** Another instance began anew with this name: later clients must not join what is in flight here. */
  onOvertaken(name: string): void;
};

export type Requests = {
  obtain: Obtain;
  /** Hands all requests over to those who follow them. */
  close(): Promise<void>;
};

type ObtainOptions = Parameters<Obtain>[2];

/** How often a forced request tries to be the newest. */
const maxTries = 5;

export function createRequests(settings: RequestSettings): Requests {
  const { database, notices, reach, owner, ttlMs, now, read, isCurrent } = settings;
  /** The request of each name that this instance has to do with, the latest one. */
  const latest = new Map<string, string>();
  const parts = {
    ...settings,
    onOvertaken(name: string, id: string) {
      // One that this instance overtook itself has its successor here.
      if (latest.get(name) === id) settings.onOvertaken(name);
    },
  };
  const leading = createLeading(parts);
  const following = createFollowing(parts);
  const stopListening = notices.subscribe('requests', payload => {
    leading.hear(payload);
    following.hear(payload);
  });

  /** By this instance for itself, as long as the database is away. A beat empties the memory if it was cleared then. */
  const produceAlone = async (produce: Produce, signal: AbortSignal): Promise<Obtained> => {
    const fields = await produce(signal);
    return { result: { ...fields, storedAt: now() }, isJoined: false, mayKeep: () => true };
  };

  async function claim(name: string, isForced: boolean): Promise<{ id: string; claimed: Claimed }> {
    const id = randomUUID();
    if (!isForced) return { id, claimed: await reach.ask(() => claimRequest(database, { id, name, owner })) };
    for (let left = maxTries; left > 0; left -= 1) {
      const taken = await reach.ask(() => overtakeRequest(database, { id, name, owner }));
      if (!taken) continue;
      if (taken.overtaken.length > 0) void notices.publish('requests', { overtaken: taken.overtaken });
      return { id, claimed: taken.claimed };
    }
    // So many others were forced to ask anew meanwhile: the newest of them is as good.
    return claim(name, false);
  }

  /** Whether another instance has stored it since we looked last. */
  const findFresh = async (name: string): Promise<StoredResult | undefined> => {
    const stored = await read(name).catch(() => undefined);
    return stored && now() - stored.storedAt < ttlMs ? stored : undefined;
  };

  const tell = async (ending: Parameters<typeof endRequest>[1]): Promise<boolean> => {
    try {
      const { isKept, isFollowed } = await reach.ask(() => endRequest(database, ending));
      if (isFollowed) void notices.publish('requests', { ended: ending.id });
      if (isKept) void notices.publish('cached', { name: ending.name, storedAtMs: ending.storedAtMs });
      return isKept;
    } catch (error) {
      if (error instanceof DatabaseAwayError) return true;
      throw error;
    }
  };

  async function lead(name: string, { id, generation }: Claimed, produce: Produce, options: ObtainOptions) {
    const request = leading.begin({ id, name, signal: options.signal });
    try {
      const found = options.overtakes ? undefined : await findFresh(name);
      const result = found ?? { ...(await request.run(produce)), storedAt: now() };
      const storedAtMs = found || ttlMs === 0 ? undefined : result.storedAt;
      const isKept = await tell({ id, name, ended: 'result', content: toValue(result), storedAtMs });
      return {
        result,
        isJoined: found !== undefined,
        mayKeep: () => (isKept || found !== undefined) && isCurrent(generation),
      };
    } catch (error) {
      if (isForOthers(error, request.signal))
        await tell({ id, name, ended: 'failure', content: toOutcome(error), storedAtMs: undefined });
      else await leading.handOver(id);
      throw error;
    } finally {
      request.end();
    }
  }

  /** @returns undefined where the request is gone, and somebody has to begin again */
  async function follow(
    name: string,
    id: string,
    follower: string,
    signal: AbortSignal,
  ): Promise<Obtained | undefined> {
    const outcome = await following.wait({ id, name, follower, signal });
    if (!outcome) return undefined;
    if (outcome.ended === 'failure') throw toFailure(outcome.content);
    const result = fromValue(outcome.content);
    const { isKept, generation } = outcome;
    return result && { result, isJoined: true, mayKeep: () => isKept && isCurrent(generation) };
  }

  /** Leads a request, or follows one. @returns undefined where somebody has to begin again */
  async function obtainOnce(name: string, produce: Produce, options: ObtainOptions): Promise<Obtained | undefined> {
    const { signal, overtakes } = options;
    const { id, claimed } = await claim(name, overtakes);
    const isOurs = claimed.id === id;
    if (signal.aborted) {
      await (isOurs ? leading.handOver(id) : following.leave(claimed.id, id));
      signal.throwIfAborted();
    }
    latest.set(name, claimed.id);
    try {
      return await (isOurs ? lead(name, claimed, produce, options) : follow(name, claimed.id, id, signal));
    } finally {
      if (latest.get(name) === claimed.id) latest.delete(name);
    }
  }

  async function obtain(name: string, produce: Produce, options: ObtainOptions): Promise<Obtained> {
    for (;;) {
      const flown = await obtainOnce(name, produce, options);
      if (flown) return flown;
    }
  }

  return {
    async obtain(key, produce, options) {
      try {
        return await obtain(key, produce, options);
      } catch (error) {
        options.signal.throwIfAborted();
        if (error instanceof DatabaseAwayError) return produceAlone(produce, options.signal);
        throw error;
      }
    },
    async close() {
      stopListening();
      following.close();
      await leading.close();
    },
  };
}
