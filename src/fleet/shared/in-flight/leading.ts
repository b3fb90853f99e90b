/** The requests that this instance produces for all: their signs of life, and their end with the last who waits. */
import type { Produce } from '../../../cache/result-cache.ts';
import { payloadOf } from '../payload.ts';
import type { RequestHooks } from './request-hooks.ts';
import { dropRequest, renewRequests } from './request-rows.ts';

type Led = {
  readonly id: string;
  readonly name: string;
  /** Aborts when the last client of this instance has disconnected. */
  readonly signal: AbortSignal;
  /** Aborts the production: when nobody on any instance waits any more. */
  readonly abort: AbortController;
};

export type Leading = {
  begin(request: Pick<Led, 'id' | 'name' | 'signal'>): {
    /** Of the production. */
    readonly signal: AbortSignal;
    run(produce: Produce): ReturnType<Produce>;
    end(): void;
  };
  /** Removes the request, so that its followers begin again. */
  handOver(id: string): Promise<void>;
  hear(payload: unknown): void;
  close(): Promise<void>;
};

export function createLeading({ database, notices, reach, pulse, onOvertaken }: RequestHooks): Leading {
  const requests = new Map<string, Led>();

  /** Its own clients are gone: it goes on for as long as others wait. */
  const endIfAlone = async ({ id, signal, abort }: Led): Promise<void> => {
    const isAlone = await reach.ask(() => dropRequest(database, id)).catch(() => true);
    if (isAlone) abort.abort(signal.reason);
  };

  const stopBeating = pulse.add(async () => {
    const ids = [...requests.keys()].toSorted();
    if (ids.length === 0) return;
    for (const { id, isCurrent } of await reach.ask(() => renewRequests(database, ids))) {
      const request = requests.get(id);
      if (request && !isCurrent) onOvertaken(request.name, request.id);
    }
    await Promise.all([...requests.values()].filter(({ signal }) => signal.aborted).map(endIfAlone));
  });

  const handOver = async (id: string): Promise<void> => {
    await reach.ask(() => dropRequest(database, id, true)).catch(() => {});
    await notices.publish('requests', { ended: id });
  };

  return {
    begin({ id, name, signal }) {
      const request = { id, name, signal, abort: new AbortController() };
      requests.set(id, request);
      const onDisconnect = () => void endIfAlone(request);
      if (signal.aborted) onDisconnect();
      else signal.addEventListener('abort', onDisconnect, { once: true });
      return {
        signal: request.abort.signal,
        run: produce => produce(request.abort.signal),
        end() {
          requests.delete(id);
          signal.removeEventListener('abort', onDisconnect);
        },
      };
    },
    handOver,
    hear(payload) {
      const { left, overtaken } = payloadOf(payload);
      for (const id of overtaken) {
        const request = requests.get(id);
        if (request) onOvertaken(request.name, request.id);
      }
      const request = left === undefined ? undefined : requests.get(left);
      if (request?.signal.aborted) void endIfAlone(request);
    },
    async close() {
      stopBeating();
      for (const { signal, abort } of requests.values()) if (signal.aborted) abort.abort(signal.reason);
      await Promise.all([...requests.keys()].map(handOver));
    },
  };
}
