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

/**
 * Compares what to fix: the weakest category first, performance if equal, then by points. What gains nothing is last.
 * @param scores 0 to 100 by category
 */
export function compareFindings(scores: Scores): (one: Useful, other: Useful) => number {
  const rankOf = ({ category, points }: Useful): number =>
    points < negligiblePoints ? 200 : (scores[category as Category] ?? 101);
  const orderOf = ({ category }: Useful): number => requestCategories.indexOf(category);
  return (one, other) =>
    rankOf(one) - rankOf(other) ||
    (one.points < negligiblePoints ? 0 : orderOf(one) - orderOf(other)) ||
    other.points - one.points;
}
