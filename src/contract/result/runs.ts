/** Several runs of one page, and their spread. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { nullable } from '../fields.ts';

/** Mark of a result with a disturbed load, which is displayed with every use of its score. */

/** Optional, because results that were stored before this field existed do not have it. */
export const disturbed = Type.Optional(
  nullable(
    Type.Boolean({
      description: 'Whether something other than the page affected the timings of this load; null if unknown',
    }),
  ),
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

export const Disturbance = Type.Object(
  {
    kinds: Type.Array(Type.Enum([...disturbanceKinds]), {
      description:
        '`processor_wait`: the page waited for a CPU; `tasks_without_script`: long tasks without a long script; `late_paint`: the browser painted long after the page was ready; `slow_machine`: the machine was far slower than usual',
    }),
    denied: Type.Array(Type.Enum([...deniableMetrics]), {
      description: 'Metrics whose values the disturbance invalidated',
    }),
    performance: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Performance score without the disturbance, if known' }),
    ),
    total_blocking_time: nullable(
      Type.Integer({ minimum: 0, description: 'Milliseconds without the disturbance, if known' }),
    ),
    paints: Type.Optional(
      Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
        description: 'Milliseconds of the delayed paints without the disturbance, if known',
      }),
    ),
  },
  { description: 'Only if `disturbed` is true' },
);
export type Disturbance = Static<typeof Disturbance>;

export const Spread = Type.Object({
  min: Type.Number({ description: 'Smallest value' }),
  median: Type.Number({ description: 'Median' }),
  max: Type.Number({ description: 'Largest value' }),
  spread: Type.Number({ description: 'max minus min' }),
});
export type Spread = Static<typeof Spread>;

/** Range of the performance score in lists, which contain no other ranges. */
export const performanceRange = nullable(
  Type.Object(
    { min: Type.Number({ minimum: 0, maximum: 100 }), max: Type.Number({ minimum: 0, maximum: 100 }) },
    { description: 'Performance range of the runs, or of earlier results of the page; null if unknown' },
  ),
);

/** The common schema of confidence intervals. Observed ranges have `min` and `max` instead. */
export const intervalOf = (description: string) =>
  Type.Object(
    {
      low: Type.Number({ description: 'Lower end' }),
      high: Type.Number({ description: 'Upper end' }),
      confidence: Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Share of such intervals that contain the true value',
      }),
    },
    { description },
  );
export type ConfidenceInterval = Static<ReturnType<typeof intervalOf>>;

export const Runs = Type.Object(
  {
    requested: Type.Integer({
      minimum: 1,
      description: 'Number of requested runs, or the maximum for `runs=auto`; 1 only if a load was repeated',
    }),
    completed: Type.Integer({ minimum: 1, description: 'Number of runs with a result' }),
    selected: Type.Integer({
      minimum: 1,
      description: 'Number of the completed run that this result shows, starting at 1',
    }),
    selected_by: Type.Enum(['median_run', 'only_run', 'first_run'], {
      description:
        '`median_run`: nearest to the medians of performance score and largest contentful paint; `first_run`: the first run, because no run has both',
    }),
    score_interval: Type.Optional(
      intervalOf('Confidence interval of the median performance score; requires at least five of these runs'),
    ),
    disturbed: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Number of completed runs with a disturbed load; the result shows an undisturbed run if possible',
      }),
    ),
    counted: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Number of undisturbed runs, if the ranges describe them alone; absent if they describe all runs',
      }),
    ),
    repeated: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Number of disturbed loads that were repeated alone; absent if there were none',
      }),
    ),
    scores: Type.Record(Type.String(), Spread, {
      description:
        'By category, across the completed runs; performance only across the `counted` ones, if there are any',
    }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric, across the same runs as performance' }),
    ids: Type.Optional(Type.Array(Type.String(), { description: 'Id of each completed run, in order' })),
  },
  { description: 'Several runs, or several loads for one run, one of which is shown' },
);
export type Runs = Static<typeof Runs>;

export const UsualSpread = Type.Object(
  {
    results: Type.Integer({ minimum: 3, description: 'Number of stored results; at most 20' }),
    from: Type.String({ format: 'date-time', description: 'Time of the oldest result' }),
    to: Type.String({ format: 'date-time', description: 'Time of the newest result' }),
    scores: Type.Record(Type.String(), Spread, { description: 'By category' }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric' }),
  },
  {
    description:
      'Range of up to 20 earlier results with the same URL, strategy, settings and Lighthouse version since the page last changed, excluding disturbed ones; absent if there are fewer than 3, or if `runs` has a range',
  },
);
export type UsualSpread = Static<typeof UsualSpread>;
