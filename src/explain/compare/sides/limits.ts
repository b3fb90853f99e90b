/** How many processors each side may use: one machine may give a service less than another. */
import { ratioOf } from '../numbers.ts';

const limitRatio = 1.3;

/** @returns false where a side does not tell */
export const areLimitsApart = (theirs: number | null, ours: number | null): boolean =>
  (ratioOf(theirs, ours) ?? 1) >= limitRatio;

/** A browser and what steers it work at the same time: with fewer processors they interrupt each other. */
const enoughProcessors = 2;

/** The side whose work is interrupted by a limit that the other one does not have. */
export function findLimited(theirs: number | null, ours: number | null): 'psi' | 'lighthouse' | undefined {
  if (theirs === null || ours === null || !areLimitsApart(theirs, ours)) return undefined;
  if (Math.min(theirs, ours) >= enoughProcessors) return undefined;
  return theirs < ours ? 'psi' : 'lighthouse';
}
