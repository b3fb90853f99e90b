/** The flights of other instances that clients of this one wait for. */
import { leaveFlight, lookAtFlights, type Outcome, readOutcome, type Seen } from './request-rows.ts';
import type { FlightHooks } from './requests.ts';
import { payloadOf } from './payload.ts';
import { DatabaseAwayError } from './reach.ts';

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
   * What a flight ended with; undefined where it is gone without.
   * @throws DatabaseAwayError when nobody can tell any more; the signal's reason when the clients disconnected
   */
  wait(flight: { id: string; name: string; follower: string; signal: AbortSignal }): Promise<Outcome | undefined>;
  leave(id: string, follower: string): Promise<void>;
  hear(payload: unknown): void;
  close(): void;
};

export function createFollowing({ database, notices, reach, pulse, onOvertaken }: FlightHooks): Following {
  const flights = new Set<Followed>();
  const followersOf = (id: string) => [...flights].filter(flight => flight.id === id);

  const fetch = async (id: string): Promise<void> => {
    try {
      const outcome = await reach.ask(() => readOutcome(database, id));
      for (const flight of followersOf(id)) flight.settle(outcome);
    } catch {
      // The next beat looks again.
    }
  };

  const judge = (flight: Followed, seen: Seen | undefined): void => {
    if (!seen || (seen.isDead && !seen.hasEnded)) flight.settle(undefined);
    else if (seen.hasEnded) void fetch(flight.id);
    else if (!seen.isCurrent) onOvertaken(flight.name, flight.id);
  };

  const stopBeating = pulse.add(async () => {
    const looked = [...flights].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (looked.length === 0) return;
    const [ids, followers] = [looked.map(({ id }) => id), looked.map(({ follower }) => follower)];
    const seen = await reach.ask(() => lookAtFlights(database, ids, followers));
    const byId = new Map(seen.map(one => [one.id, one]));
    for (const flight of looked) judge(flight, byId.get(flight.id));
  });

  let leavingAlone: NodeJS.Timeout | undefined;
  const stopWatching = reach.onChange(isThere => {
    clearTimeout(leavingAlone);
    if (isThere) return;
    leavingAlone = setTimeout(() => {
      for (const flight of flights) flight.fail(new DatabaseAwayError());
    }, awayMs);
    leavingAlone.unref();
  });

  const leave = async (id: string, follower: string): Promise<void> => {
    await reach.ask(() => leaveFlight(database, id, follower)).catch(() => {});
    await notices.publish('flights', { left: id });
  };

  return {
    wait({ id, name, follower, signal }) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome | undefined>();
      const onDisconnect = () => {
        void leave(id, follower);
        reject(signal.reason);
      };
      const flight = { id, name, follower, settle: resolve, fail: reject };
      flights.add(flight);
      signal.addEventListener('abort', onDisconnect, { once: true });
      return promise.finally(() => {
        flights.delete(flight);
        signal.removeEventListener('abort', onDisconnect);
      });
    },
    leave,
    hear(payload) {
      const { ended, overtaken } = payloadOf(payload);
      if (ended !== undefined && followersOf(ended).length > 0) void fetch(ended);
      for (const flight of flights) if (overtaken.includes(flight.id)) onOvertaken(flight.name, flight.id);
    },
    close() {
      stopBeating();
      stopWatching();
      clearTimeout(leavingAlone);
    },
  };
}
