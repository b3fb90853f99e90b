import type { AuditDifferences, Comparison, Flip, Pair } from '../../../contract/analysis/comparison.ts';
import {
  auditedCategories,
  type Category,
  categoryNames,
  type MetricName,
  metricNames,
} from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Scored } from '../../../measure/lhr/facts/side-facts.ts';
import { toPercent } from '../../../measure/lhr/metrics.ts';
import { tidy } from '../../../presentation/values.ts';
import { type Shares, toShares } from './category-points.ts';

const toPair = (psi: number | null | undefined, lighthouse: number | null | undefined): Pair => ({
  psi: psi ?? null,
  lighthouse: lighthouse ?? null,
  difference: typeof psi === 'number' && typeof lighthouse === 'number' ? tidy(lighthouse - psi, 6) : null,
});

const byName = <Name extends string, Value>(names: readonly Name[], toValue: (name: Name) => Value) =>
  Object.fromEntries(names.map(name => [name, toValue(name)])) as Record<Name, Value>;

/** Returns the plain differences of two results for the same page and strategy. Swapping the sides negates them. */
export function compareResults(psi: Result, lighthouse: Result): Pick<Comparison, 'scores' | 'metrics'> {
  const categories = categoryNames.filter((name: Category) => name in psi.scores || name in lighthouse.scores);
  return {
    scores: byName(categories, name => toPair(psi.scores[name], lighthouse.scores[name])),
    metrics: byName(metricNames, (name: MetricName) => ({
      ...toPair(psi.metrics[name].value, lighthouse.metrics[name].value),
      unit: lighthouse.metrics[name].unit,
    })),
  };
}

export type AuditSides = { category: (typeof auditedCategories)[number]; psi: Shares; lighthouse: Shares };

/** Max number of listed audits, to keep the answer small: enough for any real page. */
export const maxListed = 60;
const maxTitle = 200;
const maxId = 100;

export const cutId = (id: string): string => id.slice(0, maxId).toWellFormed();

export const toAuditSides = (psi: Scored, lighthouse: Scored): AuditSides[] =>
  auditedCategories.flatMap(category => {
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

/** Returns audits with different outcomes, and those that only one side counted. */
export function compareAudits(psi: Scored, lighthouse: Scored): AuditDifferences {
  const sides = toAuditSides(psi, lighthouse);
  const flipped = [...new Set(sides.flatMap(flippedIn))].map((id): Flip => {
    const [psiScore, ownScore] = [psi.audits[id]?.score ?? null, lighthouse.audits[id]?.score ?? null];
    const faulty = [psi, lighthouse].map(({ audits }) => audits[id]).find(audit => audit?.score !== 1);
    return {
      id,
      // A failed audit has a different title.
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
