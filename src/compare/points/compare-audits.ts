import type { AuditDifferences, Cause, Flip } from '../../contract/analysis/comparison.ts';
import type { Category } from '../../contract/names.ts';
import type { Lhr } from '../../result/lhr.ts';
import { toPercent } from '../../result/scores.ts';
import { tidy } from '../numbers.ts';
import { type Shares, sumOf, toShares } from './category-points.ts';

const audited = ['accessibility', 'best-practices', 'seo'] as const satisfies readonly Category[];
type Audited = (typeof audited)[number];

type Sides = { category: Audited; psi: Shares; lighthouse: Shares };

/** Enough for any real page. The limit keeps the answer small. */
const maxListed = 60;
const maxTitle = 200;
const maxId = 100;

const cutId = (id: string): string => id.slice(0, maxId).toWellFormed();

const toSides = (psi: Lhr, lighthouse: Lhr): Sides[] =>
  audited.flatMap(category => {
    const [psiShares, ownShares] = [toShares(psi, category), toShares(lighthouse, category)];
    return psiShares && ownShares ? [{ category, psi: psiShares, lighthouse: ownShares }] : [];
  });

const flippedIn = ({ psi, lighthouse }: Sides): string[] =>
  [...psi.keys()].filter(id => lighthouse.has(id) && lighthouse.get(id)?.score !== psi.get(id)?.score);

const onlyIn = (one: Shares, other: Shares): string[] => [...one.keys()].filter(id => !other.has(id));

const faultOn = (psi: number | null, lighthouse: number | null): Flip['fault_on'] => {
  if (psi === null || lighthouse === null) return null;
  return psi < lighthouse ? 'psi' : 'lighthouse';
};

/** Which audits of accessibility, best practices and SEO came out differently, and which only one side counted. */
export function compareAudits(psi: Lhr, lighthouse: Lhr): AuditDifferences {
  const sides = toSides(psi, lighthouse);
  const flipped = [...new Set(sides.flatMap(flippedIn))].map((id): Flip => {
    const [psiScore, ownScore] = [psi.audits[id]?.score ?? null, lighthouse.audits[id]?.score ?? null];
    const faulty = [psi, lighthouse].map(({ audits }) => audits[id]).find(audit => audit?.score !== 1);
    return {
      id,
      // An audit has another title when it fails.
      title: (faulty?.title ?? id).slice(0, maxTitle).toWellFormed(),
      categories: sides.filter(side => flippedIn(side).includes(id)).map(({ category }) => category),
      psi: toPercent(psiScore),
      lighthouse: toPercent(ownScore),
      fault_on: faultOn(psiScore, ownScore),
    };
  });
  const list = (toIds: (side: Sides) => string[]) => [...new Set(sides.flatMap(toIds))].slice(0, maxListed).map(cutId);
  return {
    flipped: flipped.slice(0, maxListed),
    only_psi: list(side => onlyIn(side.psi, side.lighthouse)),
    only_lighthouse: list(side => onlyIn(side.lighthouse, side.psi)),
  };
}

const pointsOf = (shares: Shares, ids: readonly string[]): number =>
  ids.reduce((sum, id) => sum + (shares.get(id)?.points ?? 0), 0);

const listed = (ids: readonly string[]): string =>
  ids.length <= 3 ? ids.map(cutId).join(', ') : `${ids.slice(0, 3).map(cutId).join(', ')} and ${ids.length - 3} more`;

const toFlipCause = (side: Sides, ids: readonly string[], points: number | null): Cause => ({
  cause: 'audits',
  category: side.category,
  points,
  certainty: 'observed',
  evidence: ids.slice(0, maxListed).map(fact => ({
    fact,
    psi: toPercent(side.psi.get(fact)?.score),
    lighthouse: toPercent(side.lighthouse.get(fact)?.score),
  })),
  explanation: `${ids.length === 1 ? 'One audit' : `${ids.length} audits`} came out differently: ${listed(ids)}.`,
});

const toOneSidedCause = (side: Sides, ids: readonly string[], points: number | null): Cause => ({
  cause: 'one_sided_audits',
  category: side.category,
  points,
  certainty: 'observed',
  evidence: ids.slice(0, maxListed).map(fact => ({
    fact: cutId(fact),
    psi: side.psi.has(fact) ? 'counted' : 'not counted',
    lighthouse: side.lighthouse.has(fact) ? 'counted' : 'not counted',
  })),
  explanation: `Counted on one side only, because the audit did not apply or was not run on the other: ${listed(ids)}.`,
});

const causesOf = (side: Sides): Cause[] => {
  const [psiScore, ownScore] = [sumOf(side.psi), sumOf(side.lighthouse)];
  const flipped = flippedIn(side);
  const oneSided = [...onlyIn(side.psi, side.lighthouse), ...onlyIn(side.lighthouse, side.psi)];
  const difference = psiScore === null || ownScore === null ? null : ownScore - psiScore;
  const ofFlips = pointsOf(side.lighthouse, flipped) - pointsOf(side.psi, flipped);
  const isKnown = difference !== null;
  return [
    ...(flipped.length > 0 ? [toFlipCause(side, flipped, isKnown ? tidy(ofFlips, 1) : null)] : []),
    // The rest: these audits themselves, and the weight that they take from all others.
    ...(oneSided.length > 0 ? [toOneSidedCause(side, oneSided, isKnown ? tidy(difference - ofFlips, 1) : null)] : []),
  ];
};

/** Why the scores of the categories other than performance differ: simple sums, so nothing is left over. */
export const findAuditCauses = (psi: Lhr, lighthouse: Lhr): Cause[] => toSides(psi, lighthouse).flatMap(causesOf);
