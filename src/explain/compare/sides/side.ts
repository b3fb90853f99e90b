/** A side as it comes in, what it says, and whether both sides ran on one machine. */
import type { Result } from '../../../contract/result/result.ts';
import type { Lhr, LhrAudit } from '../../../measure/lhr/lhr.ts';
import { ratioOf } from '../phrases.ts';
import { type SideFacts, toSideFacts } from './side-facts.ts';

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

/** The part of a Lighthouse result that scores are made of. */
export type Scored = Pick<Lhr, 'categories'> & {
  readonly audits: Readonly<Record<string, Pick<LhrAudit, 'score' | 'title'>>>;
};

/** All that a comparison needs of a side, as plain data: a Lighthouse result is read once, and is a hundred times larger. */
export type Evidence = { readonly result: Result; readonly facts: SideFacts; readonly scored: Scored };

/** Then another benchmark index is other work, not another machine. */
export const isSameMachine = (
  { result }: Pick<Evidence, 'result'>,
  own: Pick<Evidence, 'result'>,
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

const toScored = ({ categories, audits }: Lhr): Scored => ({
  categories,
  audits: Object.fromEntries(Object.entries(audits).map(([id, { score, title }]) => [id, { score, title }])),
});

export const toEvidence = ({ result, lhr }: Side): Evidence => ({
  result,
  facts: {
    ...toSideFacts(lhr, result.strategy, result.analyser),
    processors: result.environment.processors ?? null,
    benchmarkUsual: result.environment.benchmark_median ?? null,
    waitedMs: result.environment.processor_wait?.main_thread_ms ?? null,
  },
  scored: toScored(lhr),
});
