import { DialError, type DialReason } from './dial.ts';
import { nameOf, type Place } from './place.ts';

export type Refusal = { reason: DialReason; detail: string };

/** For the log: callers may not see all of it. */
export type RefusalNote = Refusal & Place;

export type Refusals = {
  /** How many were the policy's. */
  readonly blocked: number;
  of(place: Place): Refusal | undefined;
  add(place: Place, error: unknown): void;
  /** A connection was made after all. */
  forget(place: Place): void;
};

/** A page that knocks at every port there is must not fill the log. */
const maxNotes = 100;

/**
 * What was refused in one audit, the last refusal of each place.
 * @param maxPlaces how many are remembered; the oldest go
 * @param note told of each once, for every reason
 */
export function createRefusals(maxPlaces: number, note: (refusal: RefusalNote) => void): Refusals {
  const places = new Map<string, Refusal>();
  let blocked = 0;
  let notes = 0;

  const keep = (name: string, refusal: Refusal): void => {
    places.delete(name);
    places.set(name, refusal);
    const [oldest] = places.keys();
    if (places.size > maxPlaces && oldest !== undefined) places.delete(oldest);
  };

  return {
    get blocked() {
      return blocked;
    },
    of: place => places.get(nameOf(place)),
    add(place, error) {
      const { reason, message } = error instanceof DialError ? error : new DialError('refused', String(error));
      if (reason === 'blocked') blocked += 1;
      const name = nameOf(place);
      const isNews = places.get(name)?.reason !== reason;
      keep(name, { reason, detail: message });
      if (!isNews || notes >= maxNotes) return;
      notes += 1;
      note({ reason, detail: message, ...place });
    },
    forget: place => void places.delete(nameOf(place)),
  };
}
