import { type Category, type RequestCategory, requestCategories } from '../names.ts';
import type { Scores } from './metrics.ts';

/** Audits whose estimates are about returning visitors: they gain nothing in the measured load. */
const repeatVisits: ReadonlySet<string> = new Set(['cache-insight', 'uses-long-cache-ttl']);

export const isForRepeatVisits = (auditId: string): boolean => repeatVisits.has(auditId);

/** Audits without an estimate that still name a cause. */
const causes: ReadonlySet<string> = new Set([
  'lcp-discovery-insight',
  'cls-culprits-insight',
  'layout-shifts',
  'unsized-images',
]);

export const namesCause = (auditId: string): boolean => causes.has(auditId);

/** Audits that are displayed as metrics; the advice is in the audits that affect them. */
export const metricAudits: ReadonlySet<string> = new Set([
  ...['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'],
  ...['speed-index', 'interactive'],
]);

/** Points that a fix adds to a category. */
export type Useful = { readonly points: number; readonly category: RequestCategory };

/** Points below which a finding is last, in whatever category. */
export const negligiblePoints = 0.5;

/** Min scores of the ratings. */
const ratings = [90, 50, 0] as const;
/** Points by which another category must be lower than the performance with the same rating to be weaker. */
const clearlyLower = 10;

/** Returns a number by which categories are sorted, weakest first; performance if none is clearly weaker. */
function toWeakness(category: RequestCategory, scores: Scores): number {
  const score = scores[category as Category] ?? 101;
  const floor = ratings.find(least => score >= least) ?? 0;
  return category === 'performance' ? Math.max(floor, score - clearlyLower) : score;
}

/**
 * Compares what to fix: performance first unless another category is weaker, then by points. What gains nothing is last.
 * @param scores 0 to 100 by category
 */
export function compareFindings(scores: Scores): (one: Useful, other: Useful) => number {
  const isNegligible = ({ points }: Useful): number => Number(points < negligiblePoints);
  const orderOf = ({ category }: Useful): number =>
    toWeakness(category, scores) + requestCategories.indexOf(category) / 100;
  return (one, other) =>
    isNegligible(one) - isNegligible(other) ||
    (isNegligible(one) ? 0 : orderOf(one) - orderOf(other)) ||
    other.points - one.points;
}
