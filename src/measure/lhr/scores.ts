import type { Category } from '../../contract/names.ts';
import type { Scores } from '../../contract/result/metrics.ts';
import type { Lhr } from './lhr.ts';

/** Lighthouse's 0–1 as an integer 0–100; null stays null, and 0 stays 0. */
export const toPercent = (score: number | null | undefined): number | null =>
  score === null || score === undefined ? null : Math.round(score * 100);

/** The requested categories only, in the order of the request; null where Lighthouse could not score. */
export const toScores = (lhr: Lhr, requested: readonly Category[]): Scores =>
  Object.fromEntries(requested.map(name => [name, toPercent(lhr.categories[name]?.score)]));
