/** The schema of a comparison. It types the code and describes it in `/openapi.json`. */
import Type, { type Static } from 'typebox';
import { arrayOf, byName, component, count, described, flag, group, nullable, number, oneOf, text } from '../fields.ts';
import { auditedCategories, categoryNames } from '../names.ts';
import { Spread } from '../result/runs.ts';

const percent = nullable(Type.Number({ minimum: 0, maximum: 100 }));
const points = nullable(number('Points of local Lighthouse minus those of PageSpeed Insights'));

const Pair = group('A value on both sides; null on a side that has none', {
  psi: nullable(number('Value in PageSpeed Insights')),
  lighthouse: nullable(number('Value in local Lighthouse')),
  difference: nullable(number('lighthouse minus psi')),
});
export type Pair = Static<typeof Pair>;

const MetricPair = Type.Object({ ...Pair.properties, unit: oneOf(['millisecond', 'unitless'], 'Unit of the values') });

const PerformanceSplit = group('Difference between the performance scores, by metric', {
  difference: nullable(Type.Integer({ description: 'Difference between the two scores' })),
  metrics: byName(
    Type.Object({
      weight: number('Weight in the score, in percent'),
      psi: described(percent, 'Score of the metric in PageSpeed Insights'),
      lighthouse: described(percent, 'Score of the metric in local Lighthouse'),
      points,
    }),
    'By metric: the score on each side, and the difference times the weight',
  ),
  rounding: nullable(number('Rounding error: `difference` minus the points of all metrics')),
});
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
  fact: text('Name of a fact that differs'),
  psi: described(fact, 'Its value in PageSpeed Insights'),
  lighthouse: described(fact, 'Its value in local Lighthouse'),
});
export type Evidence = Static<typeof Evidence>;

const Cause = Type.Object({
  cause: oneOf(causeNames, 'Name of the cause'),
  category: nullable(oneOf(categoryNames, 'Category that the points belong to; null for all')),
  points,
  points_range: Type.Optional(
    group('Range of computed points over several local runs; `points` is their median', {
      min: number('Minimum points'),
      max: number('Maximum points'),
      runs: count('Number of runs that were audited again', 2),
    }),
  ),
  certainty: oneOf(
    ['computed', 'observed', 'possible'],
    '`computed`: simulated again with this one change; `observed`: the sides differ in this; `possible`: may contribute',
  ),
  evidence: Type.Array(Evidence),
  explanation: text('Summary in one or two sentences'),
});
export type Cause = Static<typeof Cause>;

const ReAudits = group('Re-audits of the local load with the settings of the other side', {
  status: oneOf(['done', 'not_needed', 'not_possible'], '`not_needed`: the settings match'),
  order: arrayOf(
    Type.Enum(['throttling', 'cpu', 'server', 'machine', 'page']),
    'The changes in order, each applied on top of the previous ones',
  ),
  detail: text('One sentence; the reason if there was no re-audit'),
});
export type ReAudits = Static<typeof ReAudits>;

const NoiseValue = Type.Object({
  ...Spread.properties,
  psi: nullable(number('Value in PageSpeed Insights')),
  psi_inside: nullable(flag('Whether the PSI value is between min and max')),
});

const NoiseScore = Type.Object({
  ...NoiseValue.properties,
  without_nearest: Type.Optional(
    group('Range without the run nearest to the PSI value; requires at least five runs', {
      min: number('Smallest score'),
      max: number('Largest score'),
    }),
  ),
});

const Noise = group('Range of the local runs, without disturbed ones, with the PSI value; null for a single run', {
  runs: count('Local runs that the ranges describe', 1),
  scores: byName(NoiseScore, 'By category'),
  metrics: byName(NoiseValue, 'By metric'),
});
export type Noise = Static<typeof Noise>;

const Flip = Type.Object({
  id: text('Id of the audit'),
  title: text('Title of the audit'),
  categories: arrayOf(Type.Enum([...auditedCategories]), 'Categories that contain the audit'),
  psi: described(percent, 'Score in PageSpeed Insights'),
  lighthouse: described(percent, 'Score in local Lighthouse'),
  fault_on: nullable(oneOf(['psi', 'lighthouse'], 'Side on which the audit found a fault')),
});
export type Flip = Static<typeof Flip>;

const AuditDifferences = group('Audits of accessibility, best practices and SEO', {
  flipped: arrayOf(Flip, 'Audits that both sides scored differently'),
  only_psi: arrayOf(Type.String(), 'Audits that only PageSpeed Insights counted'),
  only_lighthouse: arrayOf(Type.String(), 'Audits that only local Lighthouse counted'),
});
export type AuditDifferences = Static<typeof AuditDifferences>;

export const Comparison = component('Comparison', 'Difference between the two sides, and its causes', {
  explanation: text('Both scores and the largest cause, as text'),
  scores: byName(Pair, 'By category'),
  metrics: byName(MetricPair, 'By metric'),
  performance: nullable(PerformanceSplit),
  causes: arrayOf(Cause, 'Most important first'),
  re_audits: ReAudits,
  noise: nullable(Noise),
  audits: AuditDifferences,
  disturbed: Type.Optional(arrayOf(Type.Enum(['psi', 'lighthouse']), 'Sides with a disturbed load')),
});
export type Comparison = Static<typeof Comparison>;
