/** Several runs of one page, and their spread. */

import Type, { type Static } from 'typebox';
import { arrayOf, byName, count, flag, group, moment, nullable, number, oneOf } from '../fields.ts';

/** Mark of a result with a disturbed load, which is displayed with every use of its score. */

/** Optional, because results that were stored before this field existed do not have it. */
export const disturbed = Type.Optional(
  nullable(flag('Whether something other than the page affected the timings of this load; null if unknown')),
);

const disturbanceKinds = ['processor_wait', 'tasks_without_script', 'late_paint', 'slow_machine'] as const;
export type DisturbanceKind = (typeof disturbanceKinds)[number];

export const deniableMetrics = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'speed_index',
  'interactive',
] as const;
export type DeniableMetric = (typeof deniableMetrics)[number];

export const Disturbance = group('Only if `disturbed` is true', {
  kinds: arrayOf(
    Type.Enum([...disturbanceKinds]),
    '`processor_wait`: the page waited for a CPU; `tasks_without_script`: long tasks without a long script; `late_paint`: the browser painted long after the page was ready; `slow_machine`: the machine was far slower than usual',
  ),
  denied: arrayOf(Type.Enum([...deniableMetrics]), 'Metrics whose values the disturbance invalidated'),
  performance: nullable(
    Type.Integer({ minimum: 0, maximum: 100, description: 'Performance score without the disturbance, if known' }),
  ),
  total_blocking_time: nullable(count('Milliseconds without the disturbance, if known')),
  paints: Type.Optional(
    byName(Type.Integer({ minimum: 0 }), 'Milliseconds of the delayed paints without the disturbance, if known'),
  ),
});
export type Disturbance = Static<typeof Disturbance>;

export const Spread = Type.Object({
  min: number('Smallest value'),
  median: number('Median'),
  max: number('Largest value'),
  spread: number('max minus min'),
});
export type Spread = Static<typeof Spread>;

/** Range of the performance score in lists, which contain no other ranges. */
export const performanceRange = nullable(
  group('Performance range of the runs, or of earlier results of the page; null if unknown', {
    min: Type.Number({ minimum: 0, maximum: 100 }),
    max: Type.Number({ minimum: 0, maximum: 100 }),
  }),
);

/** The common schema of confidence intervals. Observed ranges have `min` and `max` instead. */
export const intervalOf = (description: string) =>
  Type.Object(
    {
      low: number('Lower end'),
      high: number('Upper end'),
      confidence: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of such intervals that contain the true value',
      }),
    },
    { description },
  );
export type ConfidenceInterval = Static<ReturnType<typeof intervalOf>>;

export const Runs = group('Several runs, or several loads for one run, one of which is shown', {
  requested: count('Number of requested runs, or the maximum for `runs=auto`; 1 only if a load was repeated', 1),
  completed: count('Number of runs with a result', 1),
  failures: Type.Optional(arrayOf(Type.String(), 'Error code of each run that failed; absent if there were none')),
  selected: count('Number of the completed run that this result shows, starting at 1', 1),
  selected_by: oneOf(
    ['median_run', 'only_run', 'first_run'],
    '`median_run`: nearest to the medians of performance score and largest contentful paint; `first_run`: the first run, because no run has both',
  ),
  score_interval: Type.Optional(
    intervalOf('Confidence interval of the median performance score; requires at least five of these runs'),
  ),
  disturbed: Type.Optional(
    count('Number of completed runs with a disturbed load; the result shows an undisturbed run if possible'),
  ),
  counted: Type.Optional(
    count('Number of undisturbed runs, if the ranges describe them alone; absent if they describe all runs', 1),
  ),
  repeated: Type.Optional(count('Number of disturbed loads that were repeated alone; absent if there were none', 1)),
  scores: byName(
    Spread,
    'By category, across the completed runs; performance only across the `counted` ones, if there are any, otherwise as in their `disturbance`',
  ),
  metrics: byName(Spread, 'By metric, across the same runs as performance'),
  ids: Type.Optional(arrayOf(Type.String(), 'Id of each completed run, in order')),
});
export type Runs = Static<typeof Runs>;

export const UsualSpread = group(
  'Range of up to 20 earlier results with the same URL, strategy, settings and Lighthouse version since the page last changed, excluding disturbed ones; absent if there are fewer than 3, or if `runs` has a range',
  {
    results: count('Number of stored results; at most 20', 3),
    from: moment('Time of the oldest result'),
    to: moment('Time of the newest result'),
    scores: byName(Spread, 'By category'),
    metrics: byName(Spread, 'By metric'),
  },
);
export type UsualSpread = Static<typeof UsualSpread>;
