import { type Endpoint, nameOf } from '../targets/endpoint.ts';
import { DialError, type DialReason } from './dial.ts';

export type Refusal = { reason: DialReason; detail: string };

/** A refusal for the log. Clients may see only a part of it. */
export type RefusalNote = Refusal & Endpoint;

export type Refusals = {
  /** Number of connections that the policy refused. */
  readonly blocked: number;
  /** Hosts, at most `maxGivenUp`, to which a connection failed by a limit of this service. */
  readonly givenUp: readonly string[];
  of(endpoint: Endpoint): Refusal | undefined;
  add(endpoint: Endpoint, error: unknown): void;
  /** Removes the refusal of an endpoint, because a later connection succeeded. */
  forget(endpoint: Endpoint): void;
};

/** Max number of log entries, so that a page that tries every port cannot flood the log. */
const maxNotes = 100;

const maxGivenUp = 3;

/**
 * Records the last refusal of each endpoint in one audit.
 * @param maxEndpoints max number of endpoints; the oldest are removed
 * @param note called when the reason for refusing an endpoint is new or has changed, at most `maxNotes` times
 */
export function createRefusals(maxEndpoints: number, note: (refusal: RefusalNote) => void): Refusals {
  const refusals = new Map<string, Refusal>();
  let blocked = 0;
  let notes = 0;
  const givenUp = new Set<string>();

  const keep = (name: string, refusal: Refusal): void => {
    refusals.delete(name);
    refusals.set(name, refusal);
    const [oldest] = refusals.keys();
    if (refusals.size > maxEndpoints && oldest !== undefined) refusals.delete(oldest);
  };

  return {
    get blocked() {
      return blocked;
    },
    get givenUp() {
      return [...givenUp];
    },
    of: endpoint => refusals.get(nameOf(endpoint)),
    add(endpoint, error) {
      const { reason, message } = error instanceof DialError ? error : new DialError('refused', String(error));
      if (reason === 'blocked') blocked += 1;
      if ((reason === 'timeout' || reason === 'limit') && givenUp.size < maxGivenUp) givenUp.add(endpoint.host);
      const name = nameOf(endpoint);
      const isNews = refusals.get(name)?.reason !== reason;
      keep(name, { reason, detail: message });
      if (!isNews || notes >= maxNotes) return;
      notes += 1;
      note({ reason, detail: message, ...endpoint });
    },
    forget: endpoint => void refusals.delete(nameOf(endpoint)),
  };
}
