/** Compares two sides built by tests, which are whole Lighthouse results. */
import * as compare from '../../../src/explain/compare/compare-sides.ts';
import type { ReAuditOutcome } from '../../../src/explain/compare/re-audits/step-points.ts';
import { readSide, type Side } from '../../../src/explain/compare/side.ts';

export type OtherSide = Side & { outcome: ReAuditOutcome };

type Circumstances = Omit<compare.Circumstances, 'others'> & { others?: readonly OtherSide[] | undefined };

export const compareSides = (psi: Side, lighthouse: Side, { others = [], ...circumstances }: Circumstances) =>
  compare.compareSides(readSide(psi), readSide(lighthouse), {
    ...circumstances,
    others: others.map(other => ({ ...readSide(other), outcome: other.outcome })),
  });

export const planFor = (psi: Side, lighthouse: Side, isOwnAddress = false) =>
  compare.planFor(readSide(psi), readSide(lighthouse), isOwnAddress);
