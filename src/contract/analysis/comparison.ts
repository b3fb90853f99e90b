/** The schema of a comparison. It types the code and describes it in `/openapi.json`. */
import Type, { type Static } from 'typebox';
import { described, nullable } from '../fields.ts';
import { Spread } from '../result/runs.ts';

const percent = nullable(Type.Number({ minimum: 0, maximum: 100 }));
const points = nullable(Type.Number({ description: 'Points of local Lighthouse minus those of PageSpeed Insights' }));

const Pair = Type.Object(
  {
    psi: nullable(Type.Number({ description: 'Value in PageSpeed Insights' })),
    lighthouse: nullable(Type.Number({ description: 'Value in local Lighthouse' })),
    difference: nullable(Type.Number({ description: 'lighthouse minus psi' })),
  },
  { description: 'A value on both sides; null on a side that has none' },
);
export type Pair = Static<typeof Pair>;

const MetricPair = Type.Object({
  ...Pair.properties,
  unit: Type.Enum(['millisecond', 'unitless'], { description: 'Unit of the values' }),
});

const PerformanceSplit = Type.Object(
  {
    difference: nullable(Type.Integer({ description: 'Difference between the two scores' })),
    metrics: Type.Record(
      Type.String(),
      Type.Object({
        weight: Type.Number({ description: 'Weight in the score, in percent' }),
        psi: described(percent, 'Score of the metric in PageSpeed Insights'),
        lighthouse: described(percent, 'Score of the metric in local Lighthouse'),
        points,
      }),
      { description: 'By metric: the score on each side, and the difference times the weight' },
    ),
    rounding: nullable(Type.Number({ description: 'Rounding error: `difference` minus the points of all metrics' })),
  },
  { description: 'Difference between the performance scores, by metric' },
);
export type PerformanceSplit = Static<typeof PerformanceSplit>;

const causeNames = [
  'different_page',
  'throttling',
  'cpu',
  'server',
  'audits',
  'one_sided_audits',
  'form_factor',
  'lighthouse_version',
  'chrome_version',
  'cached_answer',
  'run_noise',
  'unexplained',
  'machine',
  'simulation',
  'disturbed_run',
  'layout_shift',
] as const;
export type CauseName = (typeof causeNames)[number];

const fact = Type.Union([Type.String(), Type.Number(), Type.Null()]);

const Evidence = Type.Object({
  fact: Type.String({ description: 'Name of a fact that differs' }),
  psi: described(fact, 'Its value in PageSpeed Insights'),
  lighthouse: described(fact, 'Its value in local Lighthouse'),
});
export type Evidence = Static<typeof Evidence>;

const Cause = Type.Object({
  cause: Type.Enum([...causeNames], { description: 'Name of the cause' }),
  category: nullable(
    Type.Enum(['performance', 'accessibility', 'best-practices', 'seo'], {
      description: 'Category that the points belong to; null for all',
    }),
  ),
  points,
  points_range: Type.Optional(
    Type.Object(
      {
        min: Type.Number({ description: 'Minimum points' }),
        max: Type.Number({ description: 'Maximum points' }),
        runs: Type.Integer({ minimum: 2, description: 'Number of runs that were audited again' }),
      },
      { description: 'Range of computed points over several local runs; `points` is their median' },
    ),
  ),
  certainty: Type.Enum(['computed', 'observed', 'possible'], {
    description:
      '`computed`: simulated again with this one change; `observed`: the sides differ in this; `possible`: may contribute',
  }),
  evidence: Type.Array(Evidence),
  explanation: Type.String({ description: 'Summary in one or two sentences' }),
});
export type Cause = Static<typeof Cause>;

const ReAudits = Type.Object(
  {
    status: Type.Enum(['done', 'not_needed', 'not_possible'], { description: '`not_needed`: the settings match' }),
    order: Type.Array(Type.Enum(['throttling', 'cpu', 'server', 'machine', 'page']), {
      description: 'The changes in order, each applied on top of the previous ones',
    }),
    detail: Type.String({ description: 'One sentence; the reason if there was no re-audit' }),
  },
  { description: 'Re-audits of the local load with the settings of the other side' },
);
export type ReAudits = Static<typeof ReAudits>;

const NoiseValue = Type.Object({
  ...Spread.properties,
  psi: nullable(Type.Number({ description: 'Value in PageSpeed Insights' })),
  psi_inside: nullable(Type.Boolean({ description: 'Whether the PSI value is between min and max' })),
});

const NoiseScore = Type.Object({
  ...NoiseValue.properties,
  without_nearest: Type.Optional(
    Type.Object(
      { min: Type.Number({ description: 'Smallest score' }), max: Type.Number({ description: 'Largest score' }) },
      { description: 'Range without the run nearest to the PSI value; requires at least five runs' },
    ),
  ),
});

const Noise = Type.Object(
  {
    runs: Type.Integer({ minimum: 1, description: 'Local runs that the ranges describe' }),
    scores: Type.Record(Type.String(), NoiseScore, { description: 'By category' }),
    metrics: Type.Record(Type.String(), NoiseValue, { description: 'By metric' }),
  },
  { description: 'Range of the local runs, without disturbed ones, with the PSI value; null for a single run' },
);
export type Noise = Static<typeof Noise>;

const Flip = Type.Object({
  id: Type.String({ description: 'Id of the audit' }),
  title: Type.String({ description: 'Title of the audit' }),
  categories: Type.Array(Type.Enum(['accessibility', 'best-practices', 'seo']), {
    description: 'Categories that contain the audit',
  }),
  psi: described(percent, 'Score in PageSpeed Insights'),
  lighthouse: described(percent, 'Score in local Lighthouse'),
  fault_on: nullable(Type.Enum(['psi', 'lighthouse'], { description: 'Side on which the audit found a fault' })),
});
export type Flip = Static<typeof Flip>;

const AuditDifferences = Type.Object(
  {
    flipped: Type.Array(Flip, { description: 'Audits that both sides scored differently' }),
    only_psi: Type.Array(Type.String(), { description: 'Audits that only PageSpeed Insights counted' }),
    only_lighthouse: Type.Array(Type.String(), { description: 'Audits that only local Lighthouse counted' }),
  },
  { description: 'Audits of accessibility, best practices and SEO' },
);
export type AuditDifferences = Static<typeof AuditDifferences>;

export const Comparison = Type.Object(
  {
    explanation: Type.String({ description: 'Both scores and the largest cause, as text' }),
    scores: Type.Record(Type.String(), Pair, { description: 'By category' }),
    metrics: Type.Record(Type.String(), MetricPair, { description: 'By metric' }),
    performance: nullable(PerformanceSplit),
    causes: Type.Array(Cause, { description: 'Most important first' }),
    re_audits: ReAudits,
    noise: nullable(Noise),
    audits: AuditDifferences,
    disturbed: Type.Optional(
      Type.Array(Type.Enum(['psi', 'lighthouse']), {
        description: 'Sides with a disturbed load',
      }),
    ),
  },
  { $id: 'Comparison', description: 'Difference between the two sides, and its causes' },
);
export type Comparison = Static<typeof Comparison>;
