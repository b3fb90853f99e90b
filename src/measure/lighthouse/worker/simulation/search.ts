/** Searches over simulations: under which condition a score is lost, and in which order changes improve it most. */
import type { BreakPoint, Network } from '../../../../contract/stored/what-if-order.ts';

const scanned = 12;
const halvings = 7;

/**
 * Returns the last place from 0 to 1 at which a condition is true, before the first scanned place at which it is false.
 * @returns null if it is false at 0
 */
export function findLast(holdsAt: (place: number) => boolean): number | null {
  if (!holdsAt(0)) return null;
  let low = 0;
  for (let step = 1; step <= scanned; step += 1) {
    const place = step / scanned;
    if (!holdsAt(place)) {
      let high = place;
      for (let turn = 0; turn < halvings; turn += 1) {
        const middle = (low + high) / 2;
        if (holdsAt(middle)) low = middle;
        else high = middle;
      }
      return low;
    }
    low = place;
  }
  return 1;
}

/** Rounds a multiplier down, so that it is not slower. */
const floorTo = (value: number, digits: number): number => Math.floor(value * 10 ** digits + 1e-9) / 10 ** digits;

/** Returns a multiplier from 1 to the slowest, in equal ratios. */
export const toCpuAt =
  (slowest: number) =>
  (place: number): number =>
    floorTo(slowest ** place, 1);

const mix = (one: number, other: number, share: number): number => one * (other / one) ** share;

/** Returns a network between the given ones, in equal ratios, from fast to slow. */
export const toNetworkAt =
  (networks: readonly Network[]) =>
  (place: number): Network => {
    const along = place * (networks.length - 1);
    const index = Math.min(Math.floor(along), networks.length - 2);
    const [one, other] = [networks[index], networks[index + 1]];
    if (!one || !other) throw new RangeError('needs two networks');
    const share = along - index;
    return {
      rttMs: Math.floor(mix(one.rttMs, other.rttMs, share)),
      throughputKbps: Math.ceil(mix(one.throughputKbps, other.throughputKbps, share)),
    };
  };

export function toBreakPoint<T>(toValue: (place: number) => T, holds: (value: T) => boolean): BreakPoint<T> {
  const place = findLast(at => holds(toValue(at)));
  return { at: place === null ? null : toValue(place), isSlowest: place === 1 };
}

/** Returns the items with the largest weights, heaviest first. */
export function takeHeaviest<Item>(items: readonly Item[], weightOf: (item: Item) => number, count: number): Item[] {
  return items
    .map(item => ({ item, weight: weightOf(item) }))
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, count)
    .map(({ item }) => item);
}

/**
 * Orders items by gain: each adds the most to those before it. In a tie, the first wins.
 * @param outcomeOf returns the outcome of a set of items
 * @param isMore returns whether the first outcome is better
 */
export function orderByGain<Item, Outcome>(
  items: readonly Item[],
  outcomeOf: (chosen: readonly Item[]) => Outcome,
  isMore: (one: Outcome, other: Outcome) => boolean,
): { item: Item; after: Outcome }[] {
  const ordered: { item: Item; after: Outcome }[] = [];
  let left = [...items];
  while (left.length > 0) {
    const chosen = ordered.map(({ item }) => item);
    const tried = left.map(item => ({ item, after: outcomeOf([...chosen, item]) }));
    const best = tried.reduce((one, other) => (isMore(other.after, one.after) ? other : one));
    ordered.push(best);
    left = left.filter(item => item !== best.item);
  }
  return ordered;
}
