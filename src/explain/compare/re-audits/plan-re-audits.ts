import type { Latencies, SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { benchmarkNoise, latencyNoise, limitedNoise } from '../constants.ts';
import { ratioOf, tidy } from '../phrases.ts';
import { areLimitsApart } from '../sides/side.ts';
import { type PageChanges, toPageExperiment } from './page-experiment.ts';

/** Settings to audit the local load under; each step adds its change to those before it. */
type ReAuditSettings = {
  throttlingMethod?: 'simulate' | 'provided';
  rttMs?: number;
  throughputKbps?: number;
  cpuSlowdownMultiplier?: number;
  latency?: { additionalRttByOrigin: Latencies; serverResponseTimeByOrigin: Latencies };
  page?: PageChanges;
};

export type StepName = 'throttling' | 'cpu' | 'server' | 'machine';
/** `settings` is undefined for a difference that no re-audit can show. */
export type Step =
  | { cause: StepName; settings: ReAuditSettings | undefined }
  | {
      cause: 'page';
      settings: ReAuditSettings | undefined;
      names: readonly string[];
      /** How many of the settings before it the load has as well, from the first on. */
      behind: number;
    };

const leastRatio = (psi: SideFacts, lighthouse: SideFacts): number =>
  areLimitsApart(psi.processors, lighthouse.processors) ? limitedNoise : benchmarkNoise;

const indicesOf = ({ benchmarkIndex, benchmarkUsual }: SideFacts): number[] =>
  [benchmarkIndex, benchmarkUsual].filter(index => index !== null);

/** One slow moment makes no slow machine: what is usual has to be as far apart, where a side says it. */
const areApart = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  indicesOf(psi).every(theirs =>
    indicesOf(lighthouse).every(ours => (ratioOf(theirs, ours) ?? 1) > leastRatio(psi, lighthouse)),
  );

/**
 * The multiplier that makes this processor as slow as the remote one was under its own; the remote multiplier itself
 * where the machines are one, or the benchmark indices do not tell them apart.
 */
export function toEquivalentMultiplier(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): number {
  const { cpuSlowdownMultiplier } = psi.throttling;
  const [theirs, ours] = [psi.benchmarkIndex, lighthouse.benchmarkIndex];
  if (isSameMachine || theirs === null || ours === null || !areApart(psi, lighthouse)) return cpuSlowdownMultiplier;
  return tidy((cpuSlowdownMultiplier * ours) / theirs, 2);
}

const toAdditional = (roundTrips: Latencies): Latencies => {
  const base = Math.min(...Object.values(roundTrips));
  return Object.fromEntries(Object.entries(roundTrips).map(([origin, ms]) => [origin, ms - base]));
};

/** An origin that only the local load requested has its local latency. */
const toLatency = (psi: SideFacts, lighthouse: SideFacts): NonNullable<ReAuditSettings['latency']> => ({
  additionalRttByOrigin: { ...toAdditional(lighthouse.roundTripTime), ...toAdditional(psi.roundTripTime) },
  serverResponseTimeByOrigin: { ...lighthouse.serverLatency, ...psi.serverLatency },
});

const isSlower = (one: number | null, other: number | null): boolean =>
  one !== null &&
  other !== null &&
  Math.abs(one - other) >= latencyNoise.serverMs &&
  (ratioOf(one, other) ?? 1) >= latencyNoise.serverRatio;

const sharedOrigins = (one: Latencies, other: Latencies) => Object.keys(one).filter(origin => origin in other);

const isServerDifferent = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  isSlower(psi.serverResponseTime, lighthouse.serverResponseTime) ||
  sharedOrigins(psi.serverLatency, lighthouse.serverLatency).some(origin =>
    isSlower(psi.serverLatency[origin] ?? null, lighthouse.serverLatency[origin] ?? null),
  ) ||
  sharedOrigins(psi.roundTripTime, lighthouse.roundTripTime).some(
    origin =>
      Math.abs((psi.roundTripTime[origin] ?? 0) - (lighthouse.roundTripTime[origin] ?? 0)) >= latencyNoise.roundTripMs,
  );

const isNetworkDifferent = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  (['method', 'rttMs', 'throughputKbps'] as const).some(name => psi.throttling[name] !== lighthouse.throttling[name]);

/** A load that was throttled while it ran cannot be simulated on one that was not. */
const toMethod = (method: string): ReAuditSettings['throttlingMethod'] =>
  method === 'simulate' || method === 'provided' ? method : undefined;

/**
 * The differences between the remote settings and ours, as changes for re-audits of the local load. The order is part
 * of the method: what a change costs depends on those before it.
 */
export function planReAudits(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): Step[] {
  const { method, rttMs, throughputKbps } = psi.throttling;
  const throttlingMethod = toMethod(method);
  const { cpuSlowdownMultiplier } = psi.throttling;
  const equivalent = toEquivalentMultiplier(psi, lighthouse, isSameMachine);
  const changes: [StepName, boolean, ReAuditSettings][] = [
    [
      'throttling',
      isNetworkDifferent(psi, lighthouse),
      { ...(throttlingMethod ? { throttlingMethod } : {}), rttMs, throughputKbps },
    ],
    ['cpu', cpuSlowdownMultiplier !== lighthouse.throttling.cpuSlowdownMultiplier, { cpuSlowdownMultiplier }],
    ['server', isServerDifferent(psi, lighthouse), { latency: toLatency(psi, lighthouse) }],
    ['machine', equivalent !== cpuSlowdownMultiplier, { cpuSlowdownMultiplier: equivalent }],
  ];
  const isComputable = throttlingMethod !== undefined && toMethod(lighthouse.throttling.method) !== undefined;
  let settings: ReAuditSettings = {};
  const steps = changes.flatMap(([cause, isDifferent, change]): Step[] => {
    if (!isDifferent) return [];
    settings = { ...settings, ...change };
    return [{ cause, settings: isComputable ? settings : undefined }];
  });
  const experiment = isComputable ? toPageExperiment(psi, lighthouse, isSameMachine) : undefined;
  if (!experiment) return steps;
  const { names, changes: page } = experiment;
  // Under the settings of each side and of each step between them: a setting costs what it does with one page on both.
  const under = [{}, ...steps.map(step => step.settings)];
  return [
    ...steps,
    ...under.map((given, behind): Step => ({ cause: 'page', names, behind, settings: { ...given, page } })),
  ];
}
