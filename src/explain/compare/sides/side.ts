/** A side as it comes in, what it says, and whether both sides ran on one machine. */
import type { Result } from '../../../contract/result/result.ts';
import { type Reading, toReading } from '../../../measure/lhr/facts/side-facts.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { ratioOf } from '../phrases.ts';

/* How many processors each side may use: one machine may give a service less than another. */

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

/** A result without full data, and the Lighthouse result that it was made of. */
export type Side = { result: Result; lhr: Lhr };

/** What a comparison needs of a side, as plain data. */
export type ReadSide = Reading & { readonly result: Result };

/** Then another benchmark index is other work, not another machine. */
export const isSameMachine = (
  { result }: Pick<ReadSide, 'result'>,
  own: Pick<ReadSide, 'result'>,
  isOwnAddress: boolean,
): boolean => {
  const { kind } = result.analyser;
  const [theirs, ours] = [result.environment.boot_id, own.result.environment.boot_id];
  if (kind === 'embedded') return true;
  if (
    kind === 'google' ||
    areLimitsApart(result.environment.processors ?? null, own.result.environment.processors ?? null)
  )
    return false;
  return theirs && ours ? theirs === ours : isOwnAddress;
};

export const readSide = ({ result, lhr }: Side): ReadSide => ({ result, ...toReading(lhr, result) });
