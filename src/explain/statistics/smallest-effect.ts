import { type Category, type CustomMetricName, categoryNames, type MetricName } from '../../contract/names.ts';

/** A measure that a verdict on a page considers: a score by its category, or a metric. */
export type MeasureName = Category | MetricName;
/** Custom metrics are times. */
type AnyName = MeasureName | CustomMetricName;

export type Direction = 'higher_is_better' | 'lower_is_better';

/** The larger of `absolute`, in the unit of the values, and a share of the median before. */
export type SmallestEffect = { readonly absolute: number; readonly share?: number };

export type SmallestEffects = {
  /** Points of a score of 0 to 100. */
  readonly score: SmallestEffect;
  /** Milliseconds. */
  readonly time: SmallestEffect;
  /** Cumulative layout shift. */
  readonly layoutShift: SmallestEffect;
};

export const defaultSmallestEffects: SmallestEffects = {
  score: { absolute: 2 },
  time: { absolute: 50, share: 0.05 },
  layoutShift: { absolute: 0.02 },
};

export const isScore = (name: AnyName): name is Category => (categoryNames as readonly string[]).includes(name);

export const isTime = (name: AnyName): boolean => !isScore(name) && name !== 'cumulative_layout_shift';

export const unitOf = (name: AnyName): 'point' | 'unitless' | 'millisecond' => {
  if (isScore(name)) return 'point';
  return isTime(name) ? 'millisecond' : 'unitless';
};

export const directionOf = (name: AnyName): Direction => (isScore(name) ? 'higher_is_better' : 'lower_is_better');

export function smallestEffectOf(name: AnyName, effects: SmallestEffects = defaultSmallestEffects): SmallestEffect {
  if (isScore(name)) return effects.score;
  return name === 'cumulative_layout_shift' ? effects.layoutShift : effects.time;
}

export const toSmallest = ({ absolute, share = 0 }: SmallestEffect, before: number): number =>
  Math.max(absolute, share * Math.abs(before));
