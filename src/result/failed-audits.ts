import { type Category, categoryNames } from '../contract/names.ts';
import type { FailedAudit } from '../contract/result.ts';
import type { Lhr, LhrAudit, LhrCategory } from './lhr.ts';
import { toPercent } from './scores.ts';

/** Lighthouse's `metricSavings` keys in the names that a result uses. */
const savingNames = {
  FCP: 'first_contentful_paint',
  LCP: 'largest_contentful_paint',
  TBT: 'total_blocking_time',
  CLS: 'cumulative_layout_shift',
  INP: 'interaction_to_next_paint',
} as const;

type SavingKey = keyof typeof savingNames;
const isSavingKey = (key: string): key is SavingKey => Object.hasOwn(savingNames, key);

/** The audit whose value a saving would lower, to tell what share of its lost points the saving could win back. */
const metricAudits: Partial<Record<SavingKey, string>> = {
  FCP: 'first-contentful-paint',
  LCP: 'largest-contentful-paint',
  TBT: 'total-blocking-time',
  CLS: 'cumulative-layout-shift',
};

const hasFailed = (audit: LhrAudit): boolean => {
  switch (audit.scoreDisplayMode) {
    case 'error':
      return true;
    case 'binary':
      return audit.score !== null && audit.score < 1;
    case 'numeric':
    case 'metricSavings':
      return audit.score !== null && audit.score < 0.9;
    default:
      return false;
  }
};

const savingsOf = (audit: LhrAudit): [SavingKey, number][] =>
  Object.entries(audit.metricSavings ?? {}).filter(
    (entry): entry is [SavingKey, number] => isSavingKey(entry[0]) && entry[1] > 0,
  );

/** Points of a category (0–100) that an audit of this weight lost. */
const lostPoints = (category: LhrCategory | undefined, auditId: string, score: number | null): number => {
  if (!category) return 0;
  const total = category.auditRefs.reduce((sum, ref) => sum + ref.weight, 0);
  const weight = category.auditRefs.find(ref => ref.id === auditId)?.weight ?? 0;
  return total === 0 ? 0 : (100 * weight * (1 - (score ?? 0))) / total;
};

/** Points that a saving could win back: the share of the metric it removes, times the points that metric lost. */
const winnablePoints = (lhr: Lhr, [key, saving]: [SavingKey, number]): number => {
  const metric = lhr.audits[metricAudits[key] ?? ''];
  if (!metric?.numericValue) return 0;
  const share = Math.min(1, saving / metric.numericValue);
  return share * lostPoints(lhr.categories.performance, metric.id, metric.score);
};

/** How useful a fix would be, in points of a category: what it lost by itself, or what it could win for the metrics. */
const usefulness = (lhr: Lhr, audit: LhrAudit, categories: readonly Category[]): number => {
  const own = categories.map(name => lostPoints(lhr.categories[name], audit.id, audit.score));
  const won = savingsOf(audit).reduce((sum, saving) => sum + winnablePoints(lhr, saving), 0);
  return Math.max(won, ...own);
};

const categoriesOf = (lhr: Lhr, auditId: string, requested: readonly Category[]): Category[] =>
  categoryNames.filter(
    name =>
      requested.includes(name) &&
      lhr.categories[name]?.auditRefs.some(ref => ref.id === auditId && ref.group !== 'hidden'),
  );

const toFailedAudit = (audit: LhrAudit, categories: Category[]): FailedAudit => ({
  id: audit.id,
  title: audit.title,
  description: audit.description ?? '',
  score: toPercent(audit.score),
  display_value: audit.displayValue ?? null,
  categories,
  savings: Object.fromEntries(savingsOf(audit).map(([key, value]) => [savingNames[key], value])),
  ...(audit.scoreDisplayMode === 'error' ? { error_message: audit.errorMessage ?? 'The audit failed.' } : {}),
});

/** The audits of the requested categories that failed, most useful first; ties by score, then id. */
export function toFailedAudits(lhr: Lhr, requested: readonly Category[]): FailedAudit[] {
  return Object.values(lhr.audits)
    .filter(hasFailed)
    .map(audit => ({ audit, categories: categoriesOf(lhr, audit.id, requested) }))
    .filter(({ categories }) => categories.length > 0)
    .map(({ audit, categories }) => ({ audit, categories, useful: usefulness(lhr, audit, categories) }))
    .sort(
      (a, b) =>
        b.useful - a.useful || (a.audit.score ?? 0) - (b.audit.score ?? 0) || (a.audit.id < b.audit.id ? -1 : 1),
    )
    .map(({ audit, categories }) => toFailedAudit(audit, categories));
}
