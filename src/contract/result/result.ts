/**
 * The response for one page, one strategy and one analyser. These schemas type the code and describe the service in
 * `/openapi.json`; the tests check every response against them.
 */

import type { Static } from 'typebox';
import Type from 'typebox';
import { LoadConditions } from '../conditions/conditions.ts';
import { described, nullable } from '../fields.ts';
import { requestCategories, strategies } from '../names.ts';
import { Environment } from './environment.ts';
import { CoreWebVitals, CustomMetrics, LateContent, Metrics, Scores, score } from './metrics.ts';
import { Disturbance, disturbed, Runs, UsualSpread } from './runs.ts';

/** Links of a stored result: paths relative to the URL of the service. */
export const ResultLinks = Type.Object({
  self: Type.String({ description: 'This result' }),
  report: Type.String({ description: 'HTML report' }),
  screenshot: Type.Optional(Type.String({ description: 'Screenshot at the end of the load' })),
  trace: Type.Optional(
    Type.String({
      description: 'Trace of a local audit, for the Performance panel of DevTools; removed earlier than the result',
    }),
  ),
  network_log: Type.Optional(
    Type.String({ description: 'Network log of the same audit: DevTools messages of each request' }),
  ),
});
export type ResultLinks = Static<typeof ResultLinks>;

/** Fields of a stored response; absent if the service stores nothing. */
export const keptFields = {
  id: Type.Optional(Type.String({ description: 'Id of the stored result; sorts by time, and cannot be guessed' })),
  label: Type.Optional(Type.String({ description: 'Label of the request' })),
  links: Type.Optional(ResultLinks),
};

/** Metrics for which Lighthouse estimates savings. */
const adviceMetrics = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'interaction_to_next_paint',
] as const;

const FailedAudit = Type.Object({
  id: Type.String({ description: 'Id of the Lighthouse audit' }),
  title: Type.String({ description: 'Title of the audit when it fails' }),
  description: Type.String({ description: "Lighthouse's description in Markdown, with a link to learn more" }),
  score,
  display_value: nullable(Type.String({ description: 'Short summary of the finding' })),
  categories: Type.Array(Type.Enum([...requestCategories]), {
    description: 'Requested categories that contain the audit',
  }),
  savings: Type.Record(Type.String(), Type.Number(), {
    description: 'Estimated savings by metric, in milliseconds (unitless for cumulative_layout_shift)',
  }),
  metrics: Type.Optional(
    Type.Array(Type.Enum([...adviceMetrics]), {
      description: 'Metrics that the audit affects, with or without an estimate',
    }),
  ),
  points: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Maximum number of points that the fix can add to a category; estimates of different audits overlap',
    }),
  ),
  error_message: Type.Optional(Type.String({ description: 'Only if the audit failed with an error' })),
});
export type FailedAudit = Static<typeof FailedAudit>;

const Finding = Type.Object({
  id: Type.String({
    description:
      'Id of the failed audit; `script:URL`, `picture:URL`, `third-party:NAME` or `main-thread` for what costs points without being an audit of its own',
  }),
  audit: Type.Optional(Type.String({ description: 'Id of the audit with the evidence and the advice' })),
  title: Type.String({ description: 'What to fix' }),
  category: Type.Enum([...requestCategories], { description: 'Category of the points' }),
  points: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Number of points of the category that the fix can add',
  }),
  is_simulated: Type.Boolean({
    description: 'Whether the points come from a simulation of this load with the fix; otherwise they are an estimate',
  }),
  files: Type.Array(Type.String(), { description: 'URLs of the files concerned, largest first, at most 3' }),
  savings: Type.Record(Type.String(), Type.Number(), { description: 'As in `failed_audits`' }),
  bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Bytes over the network of these files' })),
  main_thread_ms: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Main-thread time of their scripts in milliseconds, with CPU throttling' }),
  ),
});
export type RankedFinding = Static<typeof Finding>;

const AgenticBrowsing = Type.Object(
  {
    passed: Type.Integer({ minimum: 0, description: 'Passed audits' }),
    total: Type.Integer({ minimum: 0, description: 'Audits that apply to the page' }),
  },
  {
    description:
      'Only if the category `agentic-browsing` was requested: the number of passed audits, because Lighthouse has no score for this category',
  },
);
export type AgenticBrowsing = Static<typeof AgenticBrowsing>;

const Analyser = Type.Object({
  kind: Type.Enum(['google', 'embedded', 'custom', 'local', 'uploaded'], {
    description:
      '`local` or `uploaded` for `lighthouse`; `embedded`: PageSpeed Insights settings on this machine, for `psi`',
  }),
  host: Type.Optional(Type.String({ description: 'Host of the PSI server; absent for `local` and `uploaded`' })),
});
export type Analyser = Static<typeof Analyser>;

const CacheNote = Type.Object({
  status: Type.Enum(['hit', 'miss', 'joined', 'stale'], {
    description:
      '`joined`: shared the result of a call in flight; `stale`: expired, but returned because a new call failed',
  }),
  age: Type.Integer({ minimum: 0, description: 'Seconds since the result was cached' }),
  expires_at: Type.String({ format: 'date-time', description: 'Time at which the cached result expires' }),
  failure: Type.Optional(Type.String({ description: 'Only with `stale`: the error code of the failed call' })),
  repeated: Type.Optional(
    Type.Boolean({
      description: 'True if a new call returned an earlier measurement (the same `fetched_at`)',
    }),
  ),
});
export type CacheNote = Static<typeof CacheNote>;

const DefaultCpu = Type.Object(
  {
    cpu_slowdown_multiplier: Type.Number({ description: 'Default CPU throttling: 4, or 1.2 with `profile=psi`' }),
    performance: described(score, 'Performance score with the default multiplier'),
    metrics: Type.Record(Type.String(), nullable(Type.Number()), {
      description: 'Value of each metric that counts towards the score',
    }),
  },
  {
    description:
      'Only with `cpu=calibrated`: the scores of the same load with the default multiplier; null if they could not be computed',
  },
);
export type DefaultCpu = Static<typeof DefaultCpu>;

export const Result = Type.Object(
  {
    source: Type.Enum(['psi', 'lighthouse'], { description: '`psi`, or `lighthouse` for a local audit' }),
    analyser: Analyser,
    url: Type.String({ description: 'Requested URL in canonical form (WHATWG)' }),
    final_url: Type.String({ description: 'URL after redirects (`finalDisplayedUrl` of Lighthouse)' }),
    strategy: Type.Enum([...strategies], { description: 'Emulated device' }),
    requested_at: Type.String({
      format: 'date-time',
      description: 'Time of the request; for a cached result, of the request that filled the cache',
    }),
    fetched_at: Type.String({ format: 'date-time', description: 'Time of the load' }),
    duration_ms: nullable(
      Type.Integer({
        minimum: 0,
        description: 'Duration of the audit, excluding time in the queue; null if not reported',
      }),
    ),
    lighthouse_version: Type.String({ description: 'Version of Lighthouse' }),
    scores: Scores,
    metrics: Metrics,
    custom_metrics: Type.Optional(CustomMetrics),
    core_web_vitals: CoreWebVitals,
    late_content: Type.Optional(LateContent),
    agentic_browsing: Type.Optional(AgenticBrowsing),
    findings: Type.Optional(
      Type.Array(Finding, {
        description:
          'What to fix first, at most 12: performance, unless another category has a lower rating or 10 points less, then by points; findings of less than half a point are last. Absent in older results',
      }),
    ),
    failed_audits: Type.Array(FailedAudit, { description: 'In the same order as `findings`' }),
    warnings: Type.Array(Type.String(), {
      description: 'Disturbances, and warnings from Lighthouse and the store; at most 20',
    }),
    disturbed,
    disturbance: Type.Optional(Disturbance),
    conditions: Type.Optional(LoadConditions),
    environment: Environment,
    runs: Type.Optional(Runs),
    spread: Type.Optional(UsualSpread),
    default_cpu: Type.Optional(nullable(DefaultCpu)),
    ...keptFields,
    cache: Type.Optional(CacheNote),
    lighthouse_result: Type.Optional(
      Type.Object({}, { description: 'The complete Lighthouse result (LHR) as returned by the analyser' }),
    ),
  },
  { $id: 'Result', description: 'One page, one strategy, one analyser' },
);
export type Result = Static<typeof Result>;
