import type { Result } from '../../contract/result/result.ts';
import { nameOtherHalf } from '../../measure/lhr/disturbances.ts';
import { type Reading, toReading } from '../../measure/lhr/facts/side-facts.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { enoughProcessors, limitRatio } from './constants.ts';
import { ratioOf } from './evidence.ts';

/** A side as input, its facts, and whether both sides ran on one machine. */

/* Compares the CPU limits of both sides: a service may have fewer processors than its machine. */

/** @returns false if a side does not report it */
export const areLimitsApart = (theirs: number | null, ours: number | null): boolean =>
  (ratioOf(theirs, ours) ?? 1) >= limitRatio;

/** Returns the side whose work is paused by a CPU limit that the other side does not have. */
export function findLimited(theirs: number | null, ours: number | null): 'psi' | 'lighthouse' | undefined {
  if (theirs === null || ours === null || !areLimitsApart(theirs, ours)) return undefined;
  if (Math.min(theirs, ours) >= enoughProcessors) return undefined;
  return theirs < ours ? 'psi' : 'lighthouse';
}

/** A result without full data, and its Lighthouse result. */
export type Side = { result: Result; lhr: Lhr };

/** The facts about a side that a comparison needs, as plain data. */
export type ReadSide = Reading & { readonly result: Result };

/** Returns whether both sides ran on one machine. If so, different benchmark indices are caused by other work on it. */
export const isSameMachine = (
  { result }: Pick<ReadSide, 'result'>,
  own: Pick<ReadSide, 'result'>,
  isOwnAddress: boolean,
): boolean => {
  const { kind } = result.analyser;
  const [theirs, ours] = [result.environment.boot_id, own.result.environment.boot_id];
  // In a fleet, each side may run on another machine.
  if (kind === 'embedded') return !theirs || !ours || theirs === ours;
  if (
    kind === 'google' ||
    areLimitsApart(result.environment.processors ?? null, own.result.environment.processors ?? null)
  )
    return false;
  return theirs && ours ? theirs === ours : isOwnAddress;
};

export const readSide = ({ result, lhr }: Side): ReadSide => ({ result, ...toReading(lhr, result) });

/** Returns whether two audits overlapped; they did not if one waited for the other, or came from a cache. */
export const ranTogether = (results: readonly [Result, Result]): boolean => {
  const [first, second] = results
    .map(({ fetched_at, duration_ms }) => ({ from: Date.parse(fetched_at), ms: duration_ms ?? 0 }))
    .toSorted((a, b) => a.from - b.from);
  return first !== undefined && second !== undefined && second.from < first.from + first.ms;
};

/* Recognises sides that ran on one machine at the same time, and disturbed each other. */

const isBesideOne = ({ environment }: Result): boolean => environment.concurrent_audits === 1;

/** Returns both results with warnings that name the other side, if that was the only other audit. */
export function withOtherHalf(psi: Result, lighthouse: Result): { psi: Result; lighthouse: Result } {
  const [one, other] = [psi.environment.boot_id, lighthouse.environment.boot_id];
  const isOneMachine = typeof one === 'string' && one === other;
  const isNamed = (result: Result) => isOneMachine && ranTogether([psi, lighthouse]) && isBesideOne(result);
  const named = (result: Result): Result => (isNamed(result) ? { ...result, warnings: nameOtherHalf(result) } : result);
  return { psi: named(psi), lighthouse: named(lighthouse) };
}
