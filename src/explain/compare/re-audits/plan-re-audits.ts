import type { Latencies, SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import type { ReAuditSettings } from '../../../measure/lighthouse/messages.ts';
import { tidy } from '../../../presentation/values.ts';
import { benchmarkNoise, latencyNoise, limitedNoise } from '../constants.ts';
import { ratioOf } from '../evidence.ts';
import { areLimitsApart } from '../side.ts';
import { toPageExperiment } from './plan-page-changes.ts';

export type StepName = 'throttling' | 'cpu' | 'server' | 'machine';
/** `settings` is undefined for a difference that no re-audit can show. */
export type ReAuditStep =
  | { cause: StepName; settings: ReAuditSettings | undefined }
  | {
      cause: 'page';
      settings: ReAuditSettings | undefined;
      names: readonly string[];
      /** Number of steps whose settings are applied together with the page. */
      behind: number;
    };

const leastRatio = (psi: SideFacts, lighthouse: SideFacts): number =>
  areLimitsApart(psi.processors, lighthouse.processors) ? limitedNoise : benchmarkNoise;

const indicesOf = ({ benchmarkIndex, benchmarkUsual }: SideFacts): number[] =>
  [benchmarkIndex, benchmarkUsual].filter(index => index !== null);

/**
 * Returns whether the machines differ. The usual indices must differ too, if known, because one slow moment does not
 * mean a slow machine.
 */
const areApart = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  indicesOf(psi).every(theirs =>
    indicesOf(lighthouse).every(ours => (ratioOf(theirs, ours) ?? 1) > leastRatio(psi, lighthouse)),
  );

/**
 * Returns the multiplier that makes this processor as slow as the remote one with its own multiplier; the remote
 * multiplier itself if the machines are the same, or their indices do not clearly differ.
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

/** Returns the PSI latencies; an origin that only the local load requested retains its local one. */
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

/** Returns the method; undefined for applied throttling, which cannot be simulated from a load without it. */
const toMethod = (method: string): ReAuditSettings['throttlingMethod'] =>
  method === 'simulate' || method === 'provided' ? method : undefined;

/**
 * Plans re-audits of the local load for the differences between the PSI and local settings. Their order is part of the
 * method: the cost of a change depends on the previous ones.
 */
export function planReAudits(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): ReAuditStep[] {
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
  const steps = changes.flatMap(([cause, isDifferent, change]): ReAuditStep[] => {
    if (!isDifferent) return [];
    settings = { ...settings, ...change };
    return [{ cause, settings: isComputable ? settings : undefined }];
  });
  const experiment = isComputable ? toPageExperiment(psi, lighthouse, isSameMachine) : undefined;
  if (!experiment) return steps;
  const { names, changes: page } = experiment;
  // The page is simulated with the settings of each side and of each step between them, so that the cost of a setting
  // is computed with the same page on both sides.
  const under = [{}, ...steps.map(step => step.settings)];
  return [
    ...steps,
    ...under.map((given, behind): ReAuditStep => ({ cause: 'page', names, behind, settings: { ...given, page } })),
  ];
}
