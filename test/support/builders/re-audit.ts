/** Results of re-audits for tests. */
import type { ReAuditScores } from '../../../src/explain/compare/re-audits/step-points.ts';
import { metricRefs } from './lhr.ts';

/** @param scores of the five metrics, 0–1, in the order of `metricRefs` */
export const buildReAudit = (scores: readonly (number | null)[]): ReAuditScores =>
  Object.fromEntries(metricRefs.slice(0, 5).map(({ id }, at) => [id, { score: scores[at] ?? null }]));
