/**
 * What a client gets for one page, one strategy, one analyser. These schemas type the code, describe the service in
 * `/openapi.json`, and are what the tests hold every answer against.
 */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';
import { categoryNames, strategies } from '../names.ts';
import { Environment } from './environment.ts';
import { Runs } from './runs.ts';

const score = nullable(Type.Integer({ minimum: 0, maximum: 100 }));
const unit = Type.Enum(['millisecond', 'unitless']);
const rating = Type.Enum(['good', 'needs-improvement', 'poor']);

const Metric = Type.Object({
  value: nullable(Type.Number()),
  unit,
  display_value: nullable(Type.String({ description: 'The value as Lighthouse rounds it, with its unit' })),
  score,
  rating: nullable(
    Type.Enum(['good', 'needs-improvement', 'poor'], {
      description: "By Lighthouse's thresholds for the strategy; null where nothing was measured",
    }),
  ),
});
export type Metric = Static<typeof Metric>;

const Metrics = Type.Object({
  first_contentful_paint: Metric,
  largest_contentful_paint: Metric,
  total_blocking_time: Metric,
  cumulative_layout_shift: Metric,
  speed_index: Metric,
  interactive: Metric,
  server_response_time: Metric,
});
export type Metrics = Static<typeof Metrics>;

const LabVital = Type.Object({ value: nullable(Type.Number()), unit, rating: nullable(rating) });

const LabVitals = Type.Object({
  largest_contentful_paint: LabVital,
  cumulative_layout_shift: LabVital,
  total_blocking_time: LabVital,
});
export type LabVitals = Static<typeof LabVitals>;

const FieldMetric = Type.Object({
  p75: Type.Number(),
  unit,
  rating,
  distribution: Type.Array(Type.Number({ minimum: 0, maximum: 1 }), {
    minItems: 3,
    maxItems: 3,
    description: 'Shares of visits that were good, in need of improvement, and poor',
  }),
});
export type FieldMetric = Static<typeof FieldMetric>;

const FieldVitals = Type.Object({
  scope: Type.Enum(['url', 'origin']),
  collected_by: Type.Enum(['psi', 'crux']),
  period: nullable(Type.Object({ first_date: Type.String(), last_date: Type.String() })),
  assessment: nullable(Type.Enum(['passed', 'failed'])),
  largest_contentful_paint: Type.Optional(FieldMetric),
  interaction_to_next_paint: Type.Optional(FieldMetric),
  cumulative_layout_shift: Type.Optional(FieldMetric),
  first_contentful_paint: Type.Optional(FieldMetric),
  time_to_first_byte: Type.Optional(FieldMetric),
});
export type FieldVitals = Static<typeof FieldVitals>;

const CoreWebVitals = Type.Object({ lab: LabVitals, field: nullable(FieldVitals) });

/** What Lighthouse estimates savings of. */
const adviceMetrics = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'interaction_to_next_paint',
] as const;

const FailedAudit = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  score,
  display_value: nullable(Type.String()),
  categories: Type.Array(Type.Enum([...categoryNames])),
  savings: Type.Record(Type.String(), Type.Number(), {
    description: 'Estimated savings by metric: milliseconds, for cumulative_layout_shift its own unit',
  }),
  metrics: Type.Optional(
    Type.Array(Type.Enum([...adviceMetrics]), {
      description: 'Metrics that the audit bears on, also where nothing is estimated',
    }),
  ),
  error_message: Type.Optional(Type.String()),
});
export type FailedAudit = Static<typeof FailedAudit>;

const Analyser = Type.Object({
  kind: Type.Enum(['google', 'embedded', 'custom', 'local']),
  host: Type.Optional(Type.String()),
});
export type Analyser = Static<typeof Analyser>;

const CacheNote = Type.Object({
  status: Type.Enum(['hit', 'miss', 'joined', 'stale']),
  age: Type.Integer({ minimum: 0, description: 'Seconds since the answer was stored' }),
  expires_at: Type.String({ format: 'date-time' }),
  failure: Type.Optional(
    Type.String({ description: 'Only with `stale`: the error code with which the analyser failed just now' }),
  ),
  repeated: Type.Optional(
    Type.Boolean({
      description:
        'True when the analyser was asked anew and gave the measurement it had given before (the same `fetched_at`)',
    }),
  ),
});
export type CacheNote = Static<typeof CacheNote>;

export const Scores = Type.Object(
  {
    performance: Type.Optional(score),
    accessibility: Type.Optional(score),
    'best-practices': Type.Optional(score),
    seo: Type.Optional(score),
  },
  { description: 'The requested categories only' },
);
export type Scores = Static<typeof Scores>;

/** Paths below the address of the service. */
export const ResultLinks = Type.Object({
  self: Type.String({ description: 'This result' }),
  report: Type.String({ description: 'The same as an HTML file' }),
  screenshot: Type.Optional(Type.String({ description: 'How the page looked at the end of its load' })),
  trace: Type.Optional(
    Type.String({
      description: 'Trace of a local audit, for the performance panel of DevTools; goes before the result',
    }),
  ),
  network_log: Type.Optional(
    Type.String({ description: 'Network log of the same audit: what DevTools was told of each request' }),
  ),
});
export type ResultLinks = Static<typeof ResultLinks>;

/** What an answer has that is kept. Absent where the service keeps nothing. */
export const keptFields = {
  id: Type.Optional(Type.String({ description: 'Under which it is kept: ordered by time, cannot be guessed' })),
  label: Type.Optional(Type.String({ description: 'As the request gave it' })),
  links: Type.Optional(ResultLinks),
};

const UsualCpu = Type.Object(
  {
    cpu_slowdown_multiplier: Type.Number(),
    performance: score,
    metrics: Type.Record(Type.String(), nullable(Type.Number()), {
      description: 'By metric that counts in the score: its value',
    }),
  },
  {
    description:
      'Only with `cpu=calibrated`: what the same load scores under the usual multiplier; null where that could not be computed',
  },
);
export type UsualCpu = Static<typeof UsualCpu>;

export const Result = Type.Object(
  {
    source: Type.Enum(['psi', 'lighthouse']),
    analyser: Analyser,
    url: Type.String(),
    final_url: Type.String(),
    strategy: Type.Enum([...strategies]),
    requested_at: Type.String({
      format: 'date-time',
      description: 'When the service was asked for this analysis; of a cached result, for the one that is cached',
    }),
    fetched_at: Type.String({ format: 'date-time', description: 'When the page was loaded' }),
    duration_ms: nullable(
      Type.Integer({
        minimum: 0,
        description: 'How long Lighthouse ran, without any queue; null where the analyser does not say',
      }),
    ),
    lighthouse_version: Type.String(),
    scores: Scores,
    metrics: Metrics,
    core_web_vitals: CoreWebVitals,
    failed_audits: Type.Array(FailedAudit),
    warnings: Type.Array(Type.String()),
    environment: Environment,
    runs: Type.Optional(Runs),
    usual_cpu: Type.Optional(nullable(UsualCpu)),
    ...keptFields,
    cache: Type.Optional(CacheNote),
    lighthouse_result: Type.Optional(
      Type.Object({}, { description: 'The whole Lighthouse result (LHR) as the analyser gave it' }),
    ),
  },
  { $id: 'Result', description: 'One page, one strategy, one analyser' },
);
export type Result = Static<typeof Result>;
