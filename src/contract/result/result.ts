/** The response for one page, one strategy and one analyser; the tests check every response against it. */

import Type, { type Static } from 'typebox';
import { LoadConditions } from '../conditions/conditions.ts';
import {
  arrayOf,
  byName,
  component,
  count,
  described,
  flag,
  group,
  moment,
  nullable,
  number,
  oneOf,
  text,
} from '../fields.ts';
import { requestCategories, strategies } from '../names.ts';
import { Environment } from './environment.ts';
import { CoreWebVitals, CustomMetrics, LateContent, Metrics, Scores, score } from './metrics.ts';
import { Disturbance, disturbed, Runs, UsualSpread } from './runs.ts';

/** Links of a stored result: paths relative to the URL of the service. */
export const ResultLinks = Type.Object({
  self: text('This result'),
  report: text('HTML report'),
  screenshot: Type.Optional(text('Screenshot at the end of the load')),
  trace: Type.Optional(
    text('Trace of a local audit, for the Performance panel of DevTools; removed earlier than the result'),
  ),
  network_log: Type.Optional(text('Network log of the same audit: DevTools messages of each request')),
});
export type ResultLinks = Static<typeof ResultLinks>;

/** Fields of a stored response; absent if the service stores nothing. */
export const keptFields = {
  id: Type.Optional(text('Id of the stored result; sorts by time, and cannot be guessed')),
  label: Type.Optional(text('Label of the request')),
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
  id: text('Id of the Lighthouse audit'),
  title: text('Title of the audit when it fails'),
  description: text("Lighthouse's description in Markdown, with a link to learn more"),
  score,
  display_value: nullable(text('Short summary of the finding')),
  categories: arrayOf(Type.Enum([...requestCategories]), 'Requested categories that contain the audit'),
  savings: byName(Type.Number(), 'Estimated savings by metric, in milliseconds (unitless for cumulative_layout_shift)'),
  metrics: Type.Optional(
    arrayOf(Type.Enum([...adviceMetrics]), 'Metrics that the audit affects, with or without an estimate'),
  ),
  points: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Maximum number of points that the fix can add to a category; estimates of different audits overlap',
    }),
  ),
  error_message: Type.Optional(text('Only if the audit failed with an error')),
});
export type FailedAudit = Static<typeof FailedAudit>;

const Finding = Type.Object({
  id: text(
    'Id of the failed audit; `script:URL`, `picture:URL`, `third-party:NAME` or `main-thread` for what costs points without being an audit of its own',
  ),
  audit: Type.Optional(text('Id of the audit with the evidence and the advice')),
  title: text('What to fix'),
  category: oneOf(requestCategories, 'Category of the points'),
  points: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Number of points of the category that the fix can add',
  }),
  is_simulated: flag(
    'Whether the points come from a simulation of this load with the fix; otherwise they are an estimate',
  ),
  files: arrayOf(Type.String(), 'URLs of the files concerned, largest first, at most 3'),
  savings: byName(Type.Number(), 'As in `failed_audits`; negative if the fix adds blocking'),
  bytes: Type.Optional(count('Bytes over the network of these files')),
  main_thread_ms: Type.Optional(count('Main-thread time of their scripts in milliseconds, with CPU throttling')),
});
export type RankedFinding = Static<typeof Finding>;

const AgenticBrowsing = group(
  'Only if the category `agentic-browsing` was requested: the number of passed audits, because Lighthouse has no score for this category',
  { passed: count('Passed audits'), total: count('Audits that apply to the page') },
);
export type AgenticBrowsing = Static<typeof AgenticBrowsing>;

const Analyser = Type.Object({
  kind: oneOf(
    ['google', 'embedded', 'custom', 'local', 'uploaded'],
    '`local` or `uploaded` for `lighthouse`; `embedded`: PageSpeed Insights settings on this machine, for `psi`',
  ),
  host: Type.Optional(text('Host of the PSI server; absent for `local` and `uploaded`')),
});
export type Analyser = Static<typeof Analyser>;

const CacheNote = Type.Object({
  status: oneOf(
    ['hit', 'miss', 'joined', 'stale'],
    '`joined`: shared the result of a call in flight; `stale`: expired, but returned because a new call failed',
  ),
  age: count('Seconds since the result was cached'),
  expires_at: moment('Time at which the cached result expires'),
  failure: Type.Optional(text('Only with `stale`: the error code of the failed call')),
  repeated: Type.Optional(flag('True if a new call returned an earlier measurement (the same `fetched_at`)')),
});
export type CacheNote = Static<typeof CacheNote>;

const DefaultCpu = group(
  'Only with `cpu=calibrated`: the scores of the same load with the default multiplier; null if they could not be computed',
  {
    cpu_slowdown_multiplier: number('Default CPU throttling: 4, or 1.2 with `profile=psi`'),
    performance: described(score, 'Performance score with the default multiplier'),
    metrics: byName(nullable(Type.Number()), 'Value of each metric that counts towards the score'),
  },
);
export type DefaultCpu = Static<typeof DefaultCpu>;

export const Result = component('Result', 'One page, one strategy, one analyser', {
  source: oneOf(['psi', 'lighthouse'], '`psi`, or `lighthouse` for a local audit'),
  analyser: Analyser,
  url: text('Requested URL in canonical form (WHATWG)'),
  final_url: text('URL after redirects (`finalDisplayedUrl` of Lighthouse)'),
  strategy: oneOf(strategies, 'Emulated device'),
  requested_at: moment('Time of the request; for a cached result, of the request that filled the cache'),
  fetched_at: moment('Time of the load'),
  duration_ms: nullable(count('Duration of the audit, excluding time in the queue; null if not reported')),
  lighthouse_version: text('Version of Lighthouse'),
  scores: Scores,
  metrics: Metrics,
  custom_metrics: Type.Optional(CustomMetrics),
  core_web_vitals: CoreWebVitals,
  late_content: Type.Optional(LateContent),
  agentic_browsing: Type.Optional(AgenticBrowsing),
  findings: Type.Optional(
    arrayOf(
      Finding,
      'What to fix first, at most 12: performance, unless another category has a lower rating or 10 points less, then by points; findings of less than half a point are last. Absent in older results',
    ),
  ),
  failed_audits: arrayOf(FailedAudit, 'In the same order as `findings`'),
  warnings: arrayOf(Type.String(), 'Disturbances, and warnings from Lighthouse and the store; at most 20'),
  disturbed,
  disturbance: Type.Optional(Disturbance),
  conditions: Type.Optional(LoadConditions),
  environment: Environment,
  runs: Type.Optional(Runs),
  spread: Type.Optional(UsualSpread),
  default_cpu: Type.Optional(nullable(DefaultCpu)),
  ...keptFields,
  cache: Type.Optional(CacheNote),
  lighthouse_result: Type.Optional(group('The complete Lighthouse result (LHR) as returned by the analyser', {})),
});
export type Result = Static<typeof Result>;
