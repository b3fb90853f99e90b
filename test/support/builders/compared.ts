/** Compares built sides, which are whole Lighthouse results. */
import * as compare from '../../../src/explain/compare/compare-sides.ts';
import type { ReAuditOutcome } from '../../../src/explain/compare/re-audits/step-points.ts';
import { type Side, toEvidence } from '../../../src/explain/compare/sides/side.ts';

export type OtherSide = Side & { outcome: ReAuditOutcome };

type Circumstances = Omit<compare.Circumstances, 'others'> & { others?: readonly OtherSide[] | undefined };

export const compareSides = (psi: Side, lighthouse: Side, { others = [], ...circumstances }: Circumstances) =>
  compare.compareSides(toEvidence(psi), toEvidence(lighthouse), {
    ...circumstances,
    others: others.map(other => ({ ...toEvidence(other), outcome: other.outcome })),
  });

export const planFor = (psi: Side, lighthouse: Side, isOwnAddress = false) =>
  compare.planFor(toEvidence(psi), toEvidence(lighthouse), isOwnAddress);
