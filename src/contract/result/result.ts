/**
 * What a client gets for one page, one strategy, one analyser. These schemas type the code, describe the service in
 * `/openapi.json`, and are what the tests hold every answer against.
 */

import type { Static } from 'typebox';
import Type from 'typebox';
import { nullable } from '../fields.ts';
import { requestCategories, strategies } from '../names.ts';
import { Environment } from './environment.ts';
import { CoreWebVitals, LateContent, Metrics, Scores, score } from './metrics.ts';
import { Disturbance, disturbed, Runs, UsualSpread } from './runs.ts';

/* Under which a result is kept, and where it is found. */

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
  categories: Type.Array(Type.Enum([...requestCategories])),
  savings: Type.Record(Type.String(), Type.Number(), {
    description: 'Estimated savings by metric: milliseconds, for cumulative_layout_shift its own unit',
  }),
  metrics: Type.Optional(
    Type.Array(Type.Enum([...adviceMetrics]), {
      description: 'Metrics that the audit bears on, also where nothing is estimated',
    }),
  ),
  points: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Points of one category that the fix can win at most; estimates of different audits overlap',
    }),
  ),
  error_message: Type.Optional(Type.String()),
});
export type FailedAudit = Static<typeof FailedAudit>;

const AgenticBrowsing = Type.Object(
  { passed: Type.Integer({ minimum: 0 }), total: Type.Integer({ minimum: 0 }) },
  {
    description:
      'Only if the category `agentic-browsing` was requested: passed audits, of those that apply to the page. Lighthouse has no score for it',
  },
);
export type AgenticBrowsing = Static<typeof AgenticBrowsing>;

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
        'True when the analyser was called again and returned the same measurement as before (the same `fetched_at`)',
    }),
  ),
});
export type CacheNote = Static<typeof CacheNote>;

const DefaultCpu = Type.Object(
  {
    cpu_slowdown_multiplier: Type.Number(),
    performance: score,
    metrics: Type.Record(Type.String(), nullable(Type.Number()), {
      description: 'By metric that counts in the score: its value',
    }),
  },
  {
    description:
      'Only with `cpu=calibrated`: the scores of the same load under the default multiplier; null if they could not be computed',
  },
);
export type DefaultCpu = Static<typeof DefaultCpu>;

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
    late_content: Type.Optional(LateContent),
    agentic_browsing: Type.Optional(AgenticBrowsing),
    failed_audits: Type.Array(FailedAudit),
    warnings: Type.Array(Type.String()),
    disturbed,
    disturbance: Type.Optional(Disturbance),
    environment: Environment,
    runs: Type.Optional(Runs),
    spread: Type.Optional(UsualSpread),
    default_cpu: Type.Optional(nullable(DefaultCpu)),
    ...keptFields,
    cache: Type.Optional(CacheNote),
    lighthouse_result: Type.Optional(
      Type.Object({}, { description: 'The whole Lighthouse result (LHR) as the analyser gave it' }),
    ),
  },
  { $id: 'Result', description: 'One page, one strategy, one analyser' },
);
export type Result = Static<typeof Result>;
