/** The flights that this instance produces for all: their signs of life, and their end with the last who waits. */
import type { Produce } from '../../cache/result-cache.ts';
import { dropFlight, renewFlights } from './request-rows.ts';
import type { FlightHooks } from './requests.ts';
import { payloadOf } from './payload.ts';

type Led = {
  readonly id: string;
  readonly name: string;
  /** Aborts when the last client of this instance has disconnected. */
  readonly signal: AbortSignal;
  /** Aborts the production: when nobody on any instance waits any more. */
  readonly abort: AbortController;
};

export type Leading = {
  begin(flight: Pick<Led, 'id' | 'name' | 'signal'>): {
    /** Of the production. */
    readonly signal: AbortSignal;
    run(produce: Produce): ReturnType<Produce>;
    end(): void;
  };
  /** Removes the flight, so that whoever follows it begins again. */
  handOver(id: string): Promise<void>;
  hear(payload: unknown): void;
  close(): Promise<void>;
};

export function createLeading({ database, notices, reach, pulse, onOvertaken }: FlightHooks): Leading {
  const flights = new Map<string, Led>();

  /** Its own clients are gone: it goes on for as long as others wait. */
  const endIfAlone = async ({ id, signal, abort }: Led): Promise<void> => {
    const isAlone = await reach.ask(() => dropFlight(database, id)).catch(() => true);
    if (isAlone) abort.abort(signal.reason);
  };

  const stopBeating = pulse.add(async () => {
    const ids = [...flights.keys()].toSorted();
    if (ids.length === 0) return;
    for (const { id, isCurrent } of await reach.ask(() => renewFlights(database, ids))) {
      const flight = flights.get(id);
      if (flight && !isCurrent) onOvertaken(flight.name, flight.id);
    }
    await Promise.all([...flights.values()].filter(({ signal }) => signal.aborted).map(endIfAlone));
  });

  const handOver = async (id: string): Promise<void> => {
    await reach.ask(() => dropFlight(database, id, true)).catch(() => {});
    await notices.publish('flights', { ended: id });
  };

  return {
    begin({ id, name, signal }) {
      const flight = { id, name, signal, abort: new AbortController() };
      flights.set(id, flight);
      const onDisconnect = () => void endIfAlone(flight);
      if (signal.aborted) onDisconnect();
      else signal.addEventListener('abort', onDisconnect, { once: true });
      return {
        signal: flight.abort.signal,
        run: produce => produce(flight.abort.signal),
        end() {
          flights.delete(id);
          signal.removeEventListener('abort', onDisconnect);
        },
      };
    },
    handOver,
    hear(payload) {
      const { left, overtaken } = payloadOf(payload);
      for (const id of overtaken) {
        const flight = flights.get(id);
        if (flight) onOvertaken(flight.name, flight.id);
      }
      const flight = left === undefined ? undefined : flights.get(left);
      if (flight?.signal.aborted) void endIfAlone(flight);
    },
    async close() {
      stopBeating();
      for (const { signal, abort } of flights.values()) if (signal.aborted) abort.abort(signal.reason);
      await Promise.all([...flights.keys()].map(handOver));
    },
  };
}
