import type { AuditDifferences, Flip } from '../../../contract/analysis/comparison.ts';
import type { Category } from '../../../contract/names.ts';
import type { Lhr } from '../../../measure/lhr/lhr.ts';
import { toPercent } from '../../../measure/lhr/scores.ts';
import { type Shares, toShares } from './category-points.ts';

const audited = ['accessibility', 'best-practices', 'seo'] as const satisfies readonly Category[];
type Audited = (typeof audited)[number];

export type AuditSides = { category: Audited; psi: Shares; lighthouse: Shares };

/** Enough for any real page. The limit keeps the answer small. */
export const maxListed = 60;
const maxTitle = 200;
const maxId = 100;

export const cutId = (id: string): string => id.slice(0, maxId).toWellFormed();

export const toAuditSides = (psi: Lhr, lighthouse: Lhr): AuditSides[] =>
  audited.flatMap(category => {
    const [psiShares, ownShares] = [toShares(psi, category), toShares(lighthouse, category)];
    return psiShares && ownShares ? [{ category, psi: psiShares, lighthouse: ownShares }] : [];
  });

export const flippedIn = ({ psi, lighthouse }: AuditSides): string[] =>
  [...psi.keys()].filter(id => lighthouse.has(id) && lighthouse.get(id)?.score !== psi.get(id)?.score);

export const onlyIn = (one: Shares, other: Shares): string[] => [...one.keys()].filter(id => !other.has(id));

const faultOn = (psi: number | null, lighthouse: number | null): Flip['fault_on'] => {
  if (psi === null || lighthouse === null) return null;
  return psi < lighthouse ? 'psi' : 'lighthouse';
};

/** Which audits of accessibility, best practices and SEO came out differently, and which only one side counted. */
export function compareAudits(psi: Lhr, lighthouse: Lhr): AuditDifferences {
  const sides = toAuditSides(psi, lighthouse);
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
  const list = (toIds: (side: AuditSides) => string[]) =>
    [...new Set(sides.flatMap(toIds))].slice(0, maxListed).map(cutId);
  return {
    flipped: flipped.slice(0, maxListed),
    only_psi: list(side => onlyIn(side.psi, side.lighthouse)),
    only_lighthouse: list(side => onlyIn(side.lighthouse, side.psi)),
  };
}
