/** The values of a result: scores, metrics of the load, and core web vitals, of the load and of visitors. */

import Type, { type Static } from 'typebox';
import { byName, count, described, each, group, nullable, number, oneOf, text } from '../fields.ts';
import { metricNames } from '../names.ts';

/** Main content that appeared long after the largest contentful paint, found in the filmstrip. */
export const LateContent = group(
  'Only if the viewport was mostly empty at the reported largest contentful paint and filled a second or more later; the score does not include that wait',
  {
    appeared_ms: count('Milliseconds until the viewport showed most of its content, without throttling'),
    filled_before: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of that content visible at the reported largest contentful paint',
    }),
    largest_paint: nullable(
      text(
        'Selector of the element with the largest contentful paint; null if unknown, or if the simulation painted before a slow answer',
      ),
    ),
  },
);
export type LateContent = Static<typeof LateContent>;

export const score = nullable(
  Type.Integer({ minimum: 0, maximum: 100, description: '0 to 100; null if there is none' }),
);
export const Scores = group('Only the requested categories', {
  performance: Type.Optional(described(score, 'Performance category')),
  accessibility: Type.Optional(described(score, 'Accessibility category')),
  'best-practices': Type.Optional(described(score, 'Best-practices category')),
  seo: Type.Optional(described(score, 'SEO category')),
});
export type Scores = Static<typeof Scores>;

const unit = oneOf(['millisecond', 'unitless'], 'Unit of the value');
const rating = oneOf(['good', 'needs-improvement', 'poor'], 'Based on the thresholds of Core Web Vitals');

const Metric = Type.Object({
  value: nullable(number('`numericValue` of the audit')),
  unit,
  display_value: nullable(text('Value with its unit, rounded by Lighthouse')),
  score,
  rating: nullable(
    oneOf(
      ['good', 'needs-improvement', 'poor'],
      "Based on Lighthouse's thresholds for the strategy; null if there is no value",
    ),
  ),
});
export type Metric = Static<typeof Metric>;

export const Metrics = Type.Object(each(metricNames, Metric));
export type Metrics = Static<typeof Metrics>;

export const CustomMetrics = byName(
  Type.Number(),
  'Milliseconds by name: `main-thread` for the CPU time of the main thread, and up to 25 user timings of each kind, `mark:NAME` (its time) and `measure:NAME` (its duration). With simulated throttling, user timings are those of the unthrottled load, and `main-thread` is multiplied by the CPU throttling. Absent in older results',
);
export type CustomMetrics = Static<typeof CustomMetrics>;

const LabVital = Type.Object({ value: nullable(number('As in `metrics`')), unit, rating: nullable(rating) });

const LabVitals = Type.Object({
  largest_contentful_paint: LabVital,
  cumulative_layout_shift: LabVital,
  total_blocking_time: LabVital,
});
export type LabVitals = Static<typeof LabVitals>;

const FieldMetric = Type.Object({
  p75: number('75th percentile: three out of four visits are at least this good'),
  unit,
  rating,
  distribution: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
    minItems: 3,
    maxItems: 3,
    description: 'Shares of visits rated good, needs improvement, and poor',
  }),
});
export type FieldMetric = Static<typeof FieldMetric>;

const scope = oneOf(['url', 'origin'], '`origin` if the URL has too few visits');
const weeks = Type.Optional(
  Type.Array(nullable(Type.Number()), {
    maxItems: 40,
    description: '75th percentiles, one for each of `last_dates`; null without enough visits',
  }),
);
const FieldHistory = group('Only with a key of the CrUX API: earlier values, up to 40 weeks', {
  scope,
  last_dates: Type.Array(Type.String(), {
    maxItems: 40,
    description: 'Last day of each period of 28 days, such as `2026-10-01`; oldest first, a week apart',
  }),
  largest_contentful_paint: weeks,
  interaction_to_next_paint: weeks,
  cumulative_layout_shift: weeks,
  first_contentful_paint: weeks,
  time_to_first_byte: weeks,
});
export type FieldHistory = Static<typeof FieldHistory>;

const FieldVitals = Type.Object({
  scope,
  collected_by: oneOf(['psi', 'crux'], '`psi`: from the response of the analyser; `crux`: from the CrUX API'),
  period: nullable(Type.Object({ first_date: text('First day, such as `2026-10-01`'), last_date: text('Last day') })),
  assessment: nullable(
    oneOf(
      ['passed', 'failed'],
      '`passed` if LCP, CLS and (with enough visits) INP are good; null if there is not enough data',
    ),
  ),
  largest_contentful_paint: Type.Optional(FieldMetric),
  interaction_to_next_paint: Type.Optional(FieldMetric),
  cumulative_layout_shift: Type.Optional(FieldMetric),
  first_contentful_paint: Type.Optional(FieldMetric),
  time_to_first_byte: Type.Optional(FieldMetric),
  history: Type.Optional(FieldHistory),
});
export type FieldVitals = Static<typeof FieldVitals>;

export const CoreWebVitals = Type.Object({ lab: LabVitals, field: nullable(FieldVitals) });
