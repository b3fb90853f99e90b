/** The position of a value on a scale with both thresholds. */

import type { Rating, Thresholds } from '../contract/result/thresholds.ts';

export const rateScore = (score: number): Rating => {
  if (score >= 90) return 'good';
  return score >= 50 ? 'needs-improvement' : 'poor';
};

type ScalePoint = {
  /** Position in percent of the scale's width, 0–100. */
  readonly percent: number;
  readonly isBeyond: boolean;
};

export type Scale = {
  readonly good: number;
  readonly poor: number;
  place(value: number): ScalePoint;
};

/** Displayed share of the poor range, which has no end. */
const poorShare = 0.5;

/** Returns a linear scale from zero to half beyond the threshold for poor, with `good` and `poor` in percent. */
export function toScale([good, poor]: Thresholds): Scale {
  const end = poor * (1 + poorShare);
  const percent = (value: number) => Math.round((10_000 * value) / end) / 100;
  return {
    good: percent(good),
    poor: percent(poor),
    place: value => ({ percent: Math.min(100, Math.max(0, percent(value))), isBeyond: value > end }),
  };
}
