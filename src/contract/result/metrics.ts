/** The values of a result: scores, metrics of the load, and core web vitals, of the load and of visitors. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { described, nullable } from '../fields.ts';

/** Main content that appeared long after the largest contentful paint, found in the filmstrip. */

export const LateContent = Type.Object(
  {
    appeared_ms: Type.Integer({
      minimum: 0,
      description: 'Milliseconds until the viewport showed most of its content, without throttling',
    }),
    filled_before: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of that content visible at the largest contentful paint',
    }),
    largest_paint: nullable(Type.String({ description: 'Selector of the element with the largest contentful paint' })),
  },
  {
    description:
      'Only if the viewport was mostly empty at the largest contentful paint and filled a second or more later; the score does not include that wait',
  },
);
export type LateContent = Static<typeof LateContent>;

export const score = nullable(
  Type.Integer({ minimum: 0, maximum: 100, description: '0 to 100; null if there is none' }),
);
export const Scores = Type.Object(
  {
    performance: Type.Optional(described(score, 'Performance category')),
    accessibility: Type.Optional(described(score, 'Accessibility category')),
    'best-practices': Type.Optional(described(score, 'Best-practices category')),
    seo: Type.Optional(described(score, 'SEO category')),
  },
  { description: 'Only the requested categories' },
);
export type Scores = Static<typeof Scores>;

const unit = Type.Enum(['millisecond', 'unitless'], { description: 'Unit of the value' });
const rating = Type.Enum(['good', 'needs-improvement', 'poor'], {
  description: 'Based on the thresholds of Core Web Vitals',
});

const Metric = Type.Object({
  value: nullable(Type.Number({ description: '`numericValue` of the audit' })),
  unit,
  display_value: nullable(Type.String({ description: 'Value with its unit, rounded by Lighthouse' })),
  score,
  rating: nullable(
    Type.Enum(['good', 'needs-improvement', 'poor'], {
      description: "Based on Lighthouse's thresholds for the strategy; null if there is no value",
    }),
  ),
});
export type Metric = Static<typeof Metric>;

export const Metrics = Type.Object({
  first_contentful_paint: Metric,
  largest_contentful_paint: Metric,
  total_blocking_time: Metric,
  cumulative_layout_shift: Metric,
  speed_index: Metric,
  interactive: Metric,
  server_response_time: Metric,
});
export type Metrics = Static<typeof Metrics>;

export const CustomMetrics = Type.Record(Type.String(), Type.Number(), {
  description:
    'Milliseconds by name: `main-thread` for the CPU time of the main thread, and up to 25 user timings of each kind, `mark:NAME` (its time) and `measure:NAME` (its duration). With simulated throttling, user timings are those of the unthrottled load, and `main-thread` is multiplied by the CPU throttling. Absent in older results',
});
export type CustomMetrics = Static<typeof CustomMetrics>;

const LabVital = Type.Object({
  value: nullable(Type.Number({ description: 'As in `metrics`' })),
  unit,
  rating: nullable(rating),
});

const LabVitals = Type.Object({
  largest_contentful_paint: LabVital,
  cumulative_layout_shift: LabVital,
  total_blocking_time: LabVital,
});
export type LabVitals = Static<typeof LabVitals>;

const FieldMetric = Type.Object({
  p75: Type.Number({ description: '75th percentile: three out of four visits are at least this good' }),
  unit,
  rating,
  distribution: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
    minItems: 3,
    maxItems: 3,
    description: 'Shares of visits rated good, needs improvement, and poor',
  }),
});
export type FieldMetric = Static<typeof FieldMetric>;

const scope = Type.Enum(['url', 'origin'], { description: '`origin` if the URL has too few visits' });
const weeks = Type.Optional(
  Type.Array(nullable(Type.Number()), {
    maxItems: 40,
    description: '75th percentiles, one for each of `last_dates`; null without enough visits',
  }),
);
const FieldHistory = Type.Object(
  {
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
  },
  { description: 'Only with a key of the CrUX API: earlier values, up to 40 weeks' },
);
export type FieldHistory = Static<typeof FieldHistory>;

const FieldVitals = Type.Object({
  scope,
  collected_by: Type.Enum(['psi', 'crux'], {
    description: '`psi`: from the response of the analyser; `crux`: from the CrUX API',
  }),
  period: nullable(
    Type.Object({
      first_date: Type.String({ description: 'First day, such as `2026-10-01`' }),
      last_date: Type.String({ description: 'Last day' }),
    }),
  ),
  assessment: nullable(
    Type.Enum(['passed', 'failed'], {
      description: '`passed` if LCP, CLS and (with enough visits) INP are good; null if there is not enough data',
    }),
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
