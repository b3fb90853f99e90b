import { categoryNames, type RequestCategory, requestCategories } from '../../contract/names.ts';
import { isForRepeatVisits } from '../../contract/result/advice.ts';
import type { FailedAudit } from '../../contract/result/result.ts';
import type { Disturbance } from '../../contract/result/runs.ts';
import type { Lhr, LhrAudit } from './lhr.ts';
import { toPercent } from './metrics.ts';
import { furtherGain, lostPoints, refsOf, type SavingKey, winnablePoints } from './usefulness.ts';

/** Names of metrics: keys in Lighthouse's `metricSavings`, and names in a result. */
const savingNames = {
  FCP: 'first_contentful_paint',
  LCP: 'largest_contentful_paint',
  TBT: 'total_blocking_time',
  CLS: 'cumulative_layout_shift',
  INP: 'interaction_to_next_paint',
} as const;

const isSavingKey = (key: string): key is SavingKey => Object.hasOwn(savingNames, key);

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

/**
 * Limits the savings of an unreliable TBT to its value without the disturbance. Other unreliable metrics count as
 * saving nothing.
 */
function toPossible(key: SavingKey, saving: number, disturbance: Disturbance | undefined): number {
  if (!disturbance?.denied.some(name => name === savingNames[key])) return saving;
  return key === 'TBT' ? Math.min(saving, disturbance.total_blocking_time ?? 0) : 0;
}

/**
 * Returns savings for this load. Lighthouse also estimates savings for repeat visits, which this load could not have.
 */
const savingsOf = ({ id, metricSavings }: LhrAudit, disturbance: Disturbance | undefined) =>
  isForRepeatVisits(id)
    ? []
    : Object.entries(metricSavings ?? {})
        .filter((entry): entry is [SavingKey, number] => isSavingKey(entry[0]))
        .map(([key, saving]): [SavingKey, number] => [key, toPossible(key, saving, disturbance)])
        .filter(([, saving]) => saving > 0);

/** Returns the metrics that an audit affects, even without an estimate. */
const metricsOf = ({ id, metricSavings }: LhrAudit): NonNullable<FailedAudit['metrics']> =>
  isForRepeatVisits(id)
    ? []
    : Object.keys(metricSavings ?? {}).flatMap(key => (isSavingKey(key) ? [savingNames[key]] : []));

/** Rates a fix in points of a category: points lost by the audit itself, or points that better metrics would win. */
const usefulness = (
  lhr: Lhr,
  audit: LhrAudit,
  categories: readonly RequestCategory[],
  disturbance: Disturbance | undefined,
): number =>
  Math.max(
    winnablePoints(lhr, audit, disturbance),
    // Agentic browsing has no score, so its audits have no points.
    ...categoryNames.filter(name => categories.includes(name)).map(name => lostPoints(lhr, name, audit, disturbance)),
  );

const categoriesOf = (lhr: Lhr, auditId: string, requested: readonly RequestCategory[]): RequestCategory[] =>
  requestCategories.filter(
    name => requested.includes(name) && refsOf(lhr.categories[name]).get(auditId)?.isShown === true,
  );

type Found = { audit: LhrAudit; categories: RequestCategory[]; useful: number };

const toFailedAudit = ({ audit, categories, useful }: Found, disturbance: Disturbance | undefined): FailedAudit => ({
  id: audit.id,
  title: audit.title,
  description: audit.description ?? '',
  score: toPercent(audit.score),
  display_value: audit.displayValue ?? null,
  categories,
  savings: Object.fromEntries(savingsOf(audit, disturbance).map(([key, value]) => [savingNames[key], value])),
  ...(audit.metricSavings ? { metrics: metricsOf(audit) } : {}),
  points: Math.round(10 * useful) / 10,
  ...(audit.scoreDisplayMode === 'error' ? { error_message: audit.errorMessage ?? 'The audit failed.' } : {}),
});

/**
 * Returns the failed audits of the requested categories, most useful first; ties by relative savings, score, then id.
 * @param disturbance savings of its unreliable metrics count as nothing, or are limited to the value without it
 */
export function toFailedAudits(
  lhr: Lhr,
  requested: readonly RequestCategory[],
  disturbance?: Disturbance,
): FailedAudit[] {
  return Object.entries(lhr.audits)
    .flatMap(([id, audit]) => (audit.id === id && hasFailed(audit) ? [audit] : []))
    .map(audit => ({ audit, categories: categoriesOf(lhr, audit.id, requested) }))
    .filter(({ categories }) => categories.length > 0)
    .map(({ audit, categories }) => ({
      audit,
      categories,
      useful: usefulness(lhr, audit, categories, disturbance),
      further: furtherGain(lhr, audit, disturbance),
    }))
    .sort(
      (a, b) =>
        b.useful - a.useful ||
        b.further - a.further ||
        (a.audit.score ?? 0) - (b.audit.score ?? 0) ||
        (a.audit.id < b.audit.id ? -1 : 1),
    )
    .map(found => toFailedAudit(found, disturbance));
}
