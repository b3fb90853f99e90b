/**
 * What a client gets for one page, one strategy, one analyser. These schemas type the code, describe the service in
 * `/openapi.json`, and are what the tests hold every answer against.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { categoryNames, strategies } from './names.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** Results that were kept before there was such a field do not have it. */
const sinceAdded = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));
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

const leftOut = ['full_page_screenshot', 'other_axe_rules'] as const;
export type LeftOut = (typeof leftOut)[number];

const Environment = Type.Object({
  user_agent: nullable(Type.String()),
  benchmark_index: nullable(Type.Number()),
  cpu_slowdown_multiplier: nullable(Type.Number()),
  calibration: Type.Optional(
    Type.Object(
      {
        benchmark_index: Type.Number({ description: 'Median of the measurements: the multiplier follows from it' }),
        measurements: Type.Integer({ minimum: 1 }),
      },
      { description: 'Only with `cpu=calibrated`, of a phone: what `cpu_slowdown_multiplier` was chosen by' },
    ),
  ),
  throttling_method: nullable(Type.String()),
  network_throttling: nullable(
    Type.Object(
      { rtt_ms: Type.Number(), throughput_kbps: Type.Number() },
      { description: 'The network that the throttling method stands for; null where the analyser does not say' },
    ),
  ),
  benchmark_usual: sinceAdded(
    Type.Number({
      description: 'Median of the last benchmark indices that this machine had in quiet; null for less than 3',
    }),
  ),
  benchmark_taken_at: sinceAdded(
    Type.String({
      format: 'date-time',
      description: 'When the benchmark index was measured: at most 15 minutes before the audit, mostly during it',
    }),
  ),
  benchmark_concurrent_audits: sinceAdded(
    Type.Integer({ minimum: 0, description: 'Other local audits that ran when the benchmark index was measured' }),
  ),
  concurrent_audits: sinceAdded(
    Type.Integer({ minimum: 0, description: 'Other local audits that ran beside this one, at most' }),
  ),
  machine_id: sinceAdded(
    Type.String({
      description: 'The same for all audits of one machine, until it starts anew; null where it is not told',
    }),
  ),
  processors: sinceAdded(
    Type.Number({ description: 'How many processors the audits may use at most; null where it is not told' }),
  ),
  blocked_requests: nullable(
    Type.Integer({ minimum: 0, description: 'Connections of the page that the policy for targets refused' }),
  ),
  left_out: sinceAdded(
    Type.Array(Type.Enum([...leftOut]), {
      description:
        'What Lighthouse would have gathered, and no requested category has a use for; null where it is not told',
    }),
  ),
  attempt: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'Where several machines share a queue: 2 when the machine that began to measure was lost',
    }),
  ),
});

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

export const Spread = Type.Object({
  min: Type.Number(),
  median: Type.Number(),
  max: Type.Number(),
  spread: Type.Number({ description: 'max minus min' }),
});
export type Spread = Static<typeof Spread>;

const MedianInterval = Type.Object(
  {
    low: Type.Number(),
    high: Type.Number(),
    confidence: Type.Number({ minimum: 0, maximum: 1, description: 'How often such an interval holds the median' }),
  },
  { description: 'Where the median performance score of all loads lies, as these runs tell; from five runs on' },
);
export type MedianInterval = Static<typeof MedianInterval>;

const Runs = Type.Object(
  {
    asked: Type.Integer({ minimum: 2, description: 'With `runs=auto` the most there could have been' }),
    completed: Type.Integer({ minimum: 1 }),
    chosen: Type.Integer({ minimum: 1, description: 'Which of the completed ones this result shows, from 1' }),
    chosen_by: Type.Enum(['median_run', 'only_run', 'first_run'], {
      description:
        '`median_run`: nearest to the medians of performance score and largest contentful paint; `first_run`: no run has both',
    }),
    score_interval: Type.Optional(MedianInterval),
    scores: Type.Record(Type.String(), Spread, { description: 'By category, over the completed runs' }),
    metrics: Type.Record(Type.String(), Spread, { description: 'By metric, over the completed runs' }),
    ids: Type.Optional(
      Type.Array(Type.String(), { description: 'Under which each completed run is kept, in their order' }),
    ),
  },
  { description: 'Several runs, one of which is shown' },
);
export type Runs = Static<typeof Runs>;

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
