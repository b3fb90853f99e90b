import type { LoadConditions, ShownConditions } from '../../contract/conditions/conditions.ts';
import type { Hits } from '../../contract/experiments/load-variant.ts';
import type { RequestCategory, Strategy } from '../../contract/names.ts';
import type { LeftOut } from '../../contract/result/environment.ts';
import type { FieldVitals, Scores } from '../../contract/result/metrics.ts';
import type { Analyser, Result } from '../../contract/result/result.ts';
import type { Disturbance } from '../../contract/result/runs.ts';
import type { ProcessorWait, RunFacts } from '../../contract/stored/run-facts.ts';
import { toCustomMetrics } from './custom-metrics.ts';
import { toDisturbances } from './disturbances.ts';
import { toFindings } from './findings.ts';
import { fitResult } from './fit-result.ts';
import { findLateContent } from './late-content.ts';
import type { Lhr } from './lhr.ts';
import { toAgenticBrowsing, toLabVitals, toMetrics, toScores } from './metrics.ts';

/** Facts about a run that only the measuring machine knows. A Lighthouse result lacks them. */
export type HostConditions = Omit<RunFacts, 'benchmarkIndex' | 'processorWait'> & {
  /** Time of the benchmark: ISO 8601. */
  benchmarkTakenAt: string;
  /** Number of other audits on this machine during the benchmark, and the max number during this audit. */
  benchmarkConcurrentAudits: number;
  concurrentAudits: number;
  machineId: string;
  /** Number of processors that audits may use, including the limit of a container. */
  processors: number;
  /** Usual benchmark index of this machine; null if there are too few measurements. */
  benchmarkUsual: number | null;
  processorWait: ProcessorWait | null;
  /** Number of connections that the target policy refused. */
  blockedRequests: number;
  /** Hosts, at most a few, to which a connection failed by a limit of this service; absent in older fleets. */
  givenUp?: readonly string[];
  /** Artifacts that were not gathered, because no requested category needs them. */
  leftOut: LeftOut[];
  /** Number of the attempt in a fleet: 2 if the first machine failed. */
  attempt?: number;
};

export type ResultFacts = {
  source: Result['source'];
  analyser: Analyser;
  /** Canonical URL of the request. */
  url: string;
  strategy: Strategy;
  categories: readonly RequestCategory[];
  field: FieldVitals | null;
  /** Conditions of the request; absent if there were none. */
  asked?: ShownConditions | undefined;
  /** Conditions of the run; null if another service measured the page. */
  conditions: HostConditions | null;
  /** Machine that measured the page, if another service reported it. */
  remoteMachine?: { id: string; processors: number } | undefined;
  /** Time at which the service received the request: ISO 8601. */
  requestedAt: string;
};

const toLoadConditions = ({ block, ...shown }: ShownConditions, hits: Hits = {}): LoadConditions => ({
  ...shown,
  ...(block ? { block: block.map(pattern => ({ pattern, requests: hits[pattern] ?? 0 })) } : {}),
});

const toNetworkThrottling = (lhr: Lhr): Result['environment']['network_throttling'] => {
  const { rttMs, throughputKbps } = lhr.configSettings?.throttling ?? {};
  return typeof rttMs === 'number' && typeof throughputKbps === 'number'
    ? { rtt_ms: rttMs, throughput_kbps: throughputKbps }
    : null;
};

const toCalibration = ({ benchmarkIndex, measurements }: NonNullable<HostConditions['calibration']>) => ({
  benchmark_index: benchmarkIndex,
  measurements,
});

const toRounded = (values: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)]));

const toProcessorWait = ({ waitedMs, othersMs, without }: ProcessorWait) => ({
  main_thread_ms: Math.round(waitedMs),
  ...(othersMs === undefined ? {} : { others_ms: Math.round(othersMs) }),
  ...(without
    ? {
        without: {
          performance: Math.round(100 * without.performance),
          total_blocking_time: Math.round(without.totalBlockingMs),
          ...(without.laterPaints ? { later_paints: toRounded(without.laterPaints) } : {}),
        },
      }
    : {}),
});

const toPaintWait = (paintWaitMs: number | undefined) =>
  paintWaitMs === undefined ? {} : { paint_wait_ms: paintWaitMs };

/** Returns the conditions of a load for its result. */
export const toEnvironment = (
  lhr: Lhr,
  { conditions, remoteMachine }: Pick<ResultFacts, 'conditions' | 'remoteMachine'>,
): Result['environment'] => {
  const { environment, configSettings, userAgent } = lhr;
  return {
    user_agent: environment?.hostUserAgent ?? userAgent ?? null,
    benchmark_index: environment?.benchmarkIndex ?? null,
    cpu_slowdown_multiplier: configSettings?.throttling?.cpuSlowdownMultiplier ?? null,
    ...(conditions?.calibration ? { calibration: toCalibration(conditions.calibration) } : {}),
    throttling_method: configSettings?.throttlingMethod ?? null,
    network_throttling: toNetworkThrottling(lhr),
    benchmark_median: conditions?.benchmarkUsual ?? null,
    benchmark_taken_at: conditions?.benchmarkTakenAt ?? null,
    benchmark_concurrent_audits: conditions?.benchmarkConcurrentAudits ?? null,
    concurrent_audits: conditions?.concurrentAudits ?? null,
    processor_wait: conditions?.processorWait ? toProcessorWait(conditions.processorWait) : null,
    ...toPaintWait(conditions?.processorWait?.paintWaitMs),
    boot_id: conditions?.machineId ?? remoteMachine?.id ?? null,
    processors: conditions?.processors ?? remoteMachine?.processors ?? null,
    blocked_requests: conditions?.blockedRequests ?? null,
    skipped: conditions?.leftOut ?? null,
    ...(conditions?.attempt === undefined ? {} : { attempts: conditions.attempt }),
  };
};

/**
 * Tells that most of a layout shift depends on how fast the page's files arrive. It is part of the page, not a
 * disturbance, but other loads may lack it.
 */
function sayEarlyShift({ cumulative_layout_shift: { value, rating } }: Result['metrics'], early = 0): string[] {
  if (value === null || rating === 'good' || early < value / 2) return [];
  return [
    `Layout shift of ${early.toFixed(2)} happened before the browser had painted the whole HTML. It depends on how fast the HTML and other files arrive, so another load of this page may not have it.`,
  ];
}

/** Tells that parts of a page are missing because the service did not wait for them as long as a browser. */
const sayGivenUp = (hosts: readonly string[] = []): string[] =>
  hosts.length === 0
    ? []
    : [
        `The connection to ${new Intl.ListFormat('en').format(hosts)} was given up: no address within 5 s, no answer within 10 s, or more than 1,000 hosts. The page may look different in a browser.`,
      ];

const mostNamed = 3;

/** Tells which audits crashed: they found nothing to fix, and nothing to be right. */
function sayCrashed(audits: Result['failed_audits']): string[] {
  const titles = audits.filter(({ error_message: crash }) => crash !== undefined).map(({ title }) => `“${title}”`);
  if (titles.length === 0) return [];
  const more = titles.length > mostNamed ? [`${titles.length - mostNamed} more`] : [];
  const named = new Intl.ListFormat('en').format([...titles.slice(0, mostNamed), ...more]);
  return [`${titles.length === 1 ? 'One audit' : `${titles.length} audits`} could not run: ${named}.`];
}

/** Returns the scores by which findings are ranked. */
const withoutDisturbance = (scores: Scores, disturbance: Disturbance | undefined): Scores =>
  typeof disturbance?.performance === 'number' ? { ...scores, performance: disturbance.performance } : scores;

/**
 * Converts a Lighthouse result to a result without full data, which is small and has the same shape for every analyser.
 * The Lighthouse result must be valid (no `runtimeError`, no error status: see page-failure.ts).
 */
export function toResult(lhr: Lhr, facts: ResultFacts): Result {
  const metrics = toMetrics(lhr, facts.strategy);
  const durationMs = lhr.timing?.total ?? null;
  const environment = toEnvironment(lhr, facts);
  const lateContent = facts.categories.includes('performance') ? findLateContent(lhr) : undefined;
  const agentic = facts.categories.includes('agentic-browsing') ? toAgenticBrowsing(lhr) : undefined;
  const { disturbed, disturbance, sentences } = toDisturbances(lhr, environment);
  const scores = toScores(lhr, facts.categories);
  const { findings, failedAudits } = toFindings(lhr, facts.categories, {
    scores: withoutDisturbance(scores, disturbance),
    disturbance,
    costs: facts.conditions?.costs,
  });
  return fitResult({
    source: facts.source,
    analyser: facts.analyser,
    url: facts.url,
    final_url: lhr.finalDisplayedUrl ?? lhr.finalUrl ?? facts.url,
    strategy: facts.strategy,
    requested_at: facts.requestedAt,
    // Other servers use an offset or a different format. `isLhr` has checked that this is a time.
    fetched_at: new Date(lhr.fetchTime).toISOString(),
    duration_ms: durationMs === null ? null : Math.max(0, Math.round(durationMs)),
    lighthouse_version: lhr.lighthouseVersion,
    scores,
    metrics,
    custom_metrics: toCustomMetrics(lhr),
    core_web_vitals: { lab: toLabVitals(metrics), field: facts.field },
    ...(lateContent ? { late_content: lateContent } : {}),
    ...(agentic ? { agentic_browsing: agentic } : {}),
    findings,
    failed_audits: failedAudits,
    // The service's warnings come first, because a page may cause more warnings than fit into a result.
    warnings: [
      ...sentences,
      ...sayEarlyShift(metrics, facts.conditions?.earlyShift),
      ...sayGivenUp(facts.conditions?.givenUp),
      ...sayCrashed(failedAudits),
      ...(lhr.runWarnings ?? []),
    ],
    disturbed,
    ...(disturbance ? { disturbance } : {}),
    ...(facts.asked ? { conditions: toLoadConditions(facts.asked, facts.conditions?.blocked) } : {}),
    environment,
  });
}
