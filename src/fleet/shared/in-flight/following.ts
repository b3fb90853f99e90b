/** The requests of other instances that clients of this one wait for. */

import { payloadOf } from '../payload.ts';
import { DatabaseAwayError } from '../reach.ts';
import type { RequestHooks } from './request-hooks.ts';
import { leaveRequest, lookAtRequests, type Outcome, readOutcome, type Seen } from './request-rows.ts';

/** Who waits for an outcome in a database that is away for longer measures by itself. */
const awayMs = 3000;

type Followed = {
  readonly id: string;
  readonly name: string;
  readonly follower: string;
  settle(outcome: Outcome | undefined): void;
  fail(error: unknown): void;
};

export type Following = {
  /**
   * What a request ended with; undefined where it is gone without.
   * @throws DatabaseAwayError when nobody can tell any more; the signal's reason when the clients disconnected
   */
  wait(request: { id: string; name: string; follower: string; signal: AbortSignal }): Promise<Outcome | undefined>;
  leave(id: string, follower: string): Promise<void>;
  hear(payload: unknown): void;
  close(): void;
};

export function createFollowing({ database, notices, reach, pulse, onOvertaken }: RequestHooks): Following {
  const requests = new Set<Followed>();
  const followersOf = (id: string) => [...requests].filter(request => request.id === id);

  const fetch = async (id: string): Promise<void> => {
    try {
      const outcome = await reach.ask(() => readOutcome(database, id));
      for (const request of followersOf(id)) request.settle(outcome);
    } catch {
      // The next beat looks again.
    }
  };

  const judge = (request: Followed, seen: Seen | undefined): void => {
    if (!seen || (seen.isDead && !seen.hasEnded)) request.settle(undefined);
    else if (seen.hasEnded) void fetch(request.id);
    else if (!seen.isCurrent) onOvertaken(request.name, request.id);
  };

  const stopBeating = pulse.add(async () => {
    const looked = [...requests].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (looked.length === 0) return;
    const [ids, followers] = [looked.map(({ id }) => id), looked.map(({ follower }) => follower)];
    const seen = await reach.ask(() => lookAtRequests(database, ids, followers));
    const byId = new Map(seen.map(one => [one.id, one]));
    for (const request of looked) judge(request, byId.get(request.id));
  });

  let leavingAlone: NodeJS.Timeout | undefined;
  const stopWatching = reach.onChange(isThere => {
    clearTimeout(leavingAlone);
    if (isThere) return;
    leavingAlone = setTimeout(() => {
      for (const request of requests) request.fail(new DatabaseAwayError());
    }, awayMs);
    leavingAlone.unref();
  });

  const leave = async (id: string, follower: string): Promise<void> => {
    await reach.ask(() => leaveRequest(database, id, follower)).catch(() => {});
    await notices.publish('requests', { left: id });
  };

  return {
    wait({ id, name, follower, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome | undefined>();
      const onDisconnect = () => {
        void leave(id, follower);
        reject(signal.reason);
      };
      const request = { id, name, follower, settle: resolve, fail: reject };
      requests.add(request);
      signal.addEventListener('abort', onDisconnect, { once: true });
      return promise.finally(() => {
        requests.delete(request);
        signal.removeEventListener('abort', onDisconnect);
      });
    },
    leave,
    hear(payload) {
      const { ended, overtaken } = payloadOf(payload);
      if (ended !== undefined && followersOf(ended).length > 0) void fetch(ended);
      for (const request of requests) if (overtaken.includes(request.id)) onOvertaken(request.name, request.id);
    },
    close() {
      stopBeating();
      stopWatching();
      clearTimeout(leavingAlone);
    },
  };
}
