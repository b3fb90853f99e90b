import { categoryNames, type RequestCategory, requestCategories } from '../../contract/names.ts';
import { compareFindings, isForRepeatVisits, type Useful } from '../../contract/result/advice.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Scores } from '../../contract/result/metrics.ts';
import type { FailedAudit } from '../../contract/result/result.ts';
import type { Disturbance } from '../../contract/result/runs.ts';
import type { Lhr, LhrAudit } from './lhr.ts';
import { toPercent, toScores } from './metrics.ts';
import { furtherGain, lostPoints, refsOf, type SavingKey, savingNames, winnablePoints } from './usefulness.ts';

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
 * Limits the savings of an unreliable metric to its value without the disturbance. If that is unknown, the network
 * still saves what it saves, but nothing is known of the main thread.
 */
function toPossible(key: SavingKey, saving: number, disturbance: Disturbance | undefined): number {
  const name = savingNames[key];
  if (!disturbance?.denied.some(denied => denied === name)) return saving;
  return Math.min(
    saving,
    key === 'TBT' ? (disturbance.total_blocking_time ?? 0) : (disturbance.paints?.[name] ?? saving),
  );
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

/** Points from the simulation of each fix, by audit id; undefined if the load was not simulated. */
export type SimulatedPoints = ReadonlyMap<string, number> | undefined;

/** Returns whether redirects delay the document, which no simulation leaves out. */
const hasRedirects = (lhr: Lhr): boolean => {
  const { details } = lhr.audits['document-latency-insight'] ?? {};
  const checks = isObject(details) && isObject(details.items) ? details.items : {};
  return isObject(checks.noRedirects) && checks.noRedirects.value === false;
};

/** Returns the points of the performance score that a fix adds: in the simulation or, without one, as estimated. */
function performancePoints(
  lhr: Lhr,
  audit: LhrAudit,
  simulated: SimulatedPoints,
  disturbance: Disturbance | undefined,
): number {
  const known = simulated?.get(audit.id);
  if (known !== undefined && !(audit.id === 'document-latency-insight' && hasRedirects(lhr))) return Math.max(0, known);
  return Math.max(known ?? 0, winnablePoints(lhr, audit, disturbance));
}

/**
 * Rates a fix in points of the category that gains most, of two equal ones the weaker: points lost by the audit itself,
 * or won by better metrics.
 */
function toUseful(
  lhr: Lhr,
  audit: LhrAudit,
  categories: readonly RequestCategory[],
  { simulated, disturbance, scores }: Ranking,
): Useful {
  const [first = 'performance'] = categories;
  const scoreOf = ({ category }: Useful): number => (category === 'agentic-browsing' ? null : scores[category]) ?? 100;
  // Agentic browsing has no score, so its audits have no points.
  const lost = categoryNames
    .filter(name => categories.includes(name))
    .map((category): Useful => ({ category, points: lostPoints(lhr, category, audit, disturbance) }));
  const won = performancePoints(lhr, audit, simulated, disturbance);
  return [{ category: won > 0 ? ('performance' as const) : first, points: won }, ...lost].reduce((most, other) =>
    other.points > most.points || (other.points === most.points && scoreOf(other) < scoreOf(most)) ? other : most,
  );
}

const categoriesOf = (lhr: Lhr, auditId: string, requested: readonly RequestCategory[]): RequestCategory[] =>
  requestCategories.filter(
    name => requested.includes(name) && refsOf(lhr.categories[name]).get(auditId)?.isShown === true,
  );

export type RankedAudit = FailedAudit & Useful;

const toRanked = (
  audit: LhrAudit,
  categories: RequestCategory[],
  { category, points }: Useful,
  disturbance: Disturbance | undefined,
): RankedAudit => ({
  id: audit.id,
  title: audit.title,
  description: audit.description ?? '',
  score: toPercent(audit.score),
  display_value: audit.displayValue ?? null,
  categories,
  savings: Object.fromEntries(savingsOf(audit, disturbance).map(([key, value]) => [savingNames[key], value])),
  ...(audit.metricSavings ? { metrics: metricsOf(audit) } : {}),
  points: Math.round(10 * points) / 10,
  category,
  ...(audit.scoreDisplayMode === 'error' ? { error_message: audit.errorMessage ?? 'The audit failed.' } : {}),
});

/**
 * Returns the failed audits of the requested categories in the order of findings; ties by relative savings, score, then
 * id.
 * @param disturbance limits the savings of its unreliable metrics to their values without it
 */
export function rankAudits(
  lhr: Lhr,
  requested: readonly RequestCategory[],
  { scores, simulated, disturbance }: Ranking,
): RankedAudit[] {
  const compare = compareFindings(scores);
  return Object.entries(lhr.audits)
    .flatMap(([id, audit]) => (audit.id === id && hasFailed(audit) ? [audit] : []))
    .map(audit => ({ audit, categories: categoriesOf(lhr, audit.id, requested) }))
    .filter(({ categories }) => categories.length > 0)
    .map(({ audit, categories }) => {
      const useful = toUseful(lhr, audit, categories, { simulated, disturbance, scores });
      return {
        useful,
        ranked: toRanked(audit, categories, useful, disturbance),
        further: furtherGain(lhr, audit, disturbance),
      };
    })
    .sort(
      (a, b) =>
        compare(a.useful, b.useful) ||
        b.further - a.further ||
        (a.ranked.score ?? 0) - (b.ranked.score ?? 0) ||
        (a.ranked.id < b.ranked.id ? -1 : 1),
    )
    .map(({ ranked }) => ranked);
}

export type Ranking = {
  /** 0 to 100; for a disturbed load, the performance score without the disturbance. */
  readonly scores: Scores;
  readonly simulated?: SimulatedPoints;
  readonly disturbance?: Disturbance | undefined;
};

/** Returns the failed audits of the requested categories, without their ranks. */
export const toFailedAudits = (lhr: Lhr, requested: readonly RequestCategory[], ranking?: Ranking): FailedAudit[] =>
  rankAudits(lhr, requested, ranking ?? { scores: toScores(lhr, requested) }).map(({ category: _, ...audit }) => audit);
