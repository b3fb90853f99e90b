import { ratioOf, tidy } from './numbers.ts';
import type { Latencies, SideFacts } from './side-facts.ts';

/** Settings to audit the local load under; each step adds its change to those before it. */
export type ReAuditSettings = {
  throttlingMethod?: 'simulate' | 'provided';
  rttMs?: number;
  throughputKbps?: number;
  cpuSlowdownMultiplier?: number;
  latency?: { additionalRttByOrigin: Latencies; serverResponseTimeByOrigin: Latencies };
};

export type StepName = 'throttling' | 'cpu' | 'server';
/** `settings` is undefined for a difference that no re-audit can show. */
export type Step = { cause: StepName; settings: ReAuditSettings | undefined };

/**
 * The benchmark index of one machine varies that much with other work on it: measured 2,850 alone, 1,800 beside a
 * second audit. A smaller difference says nothing about the machines.
 */
const benchmarkNoise = 1.6;
/** Latencies of one server vary from load to load; below these a difference is noise. */
const latencyNoise = { serverMs: 100, serverRatio: 1.5, roundTripMs: 50 };

/**
 * How fast the remote processor is, seen from this one: the multiplier that makes ours as slow as the remote one was
 * under its own multiplier.
 */
export function toEquivalentMultiplier(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): number {
  const { cpuSlowdownMultiplier } = psi.throttling;
  const [theirs, ours] = [psi.benchmarkIndex, lighthouse.benchmarkIndex];
  if (isSameMachine || theirs === null || ours === null || (ratioOf(theirs, ours) ?? 1) <= benchmarkNoise)
    return cpuSlowdownMultiplier;
  return tidy((cpuSlowdownMultiplier * ours) / theirs, 2);
}

const toAdditional = (roundTrips: Latencies): Latencies => {
  const base = Math.min(...Object.values(roundTrips));
  return Object.fromEntries(Object.entries(roundTrips).map(([origin, ms]) => [origin, ms - base]));
};

/** An origin that the remote side did not see keeps its local latency. */
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
  const multiplier = toEquivalentMultiplier(psi, lighthouse, isSameMachine);
  const changes: [StepName, boolean, ReAuditSettings][] = [
    [
      'throttling',
      isNetworkDifferent(psi, lighthouse),
      { ...(throttlingMethod ? { throttlingMethod } : {}), rttMs, throughputKbps },
    ],
    ['cpu', multiplier !== lighthouse.throttling.cpuSlowdownMultiplier, { cpuSlowdownMultiplier: multiplier }],
    ['server', isServerDifferent(psi, lighthouse), { latency: toLatency(psi, lighthouse) }],
  ];
  const isComputable = throttlingMethod !== undefined && toMethod(lighthouse.throttling.method) !== undefined;
  let settings: ReAuditSettings = {};
  return changes.flatMap(([cause, isDifferent, change]) => {
    if (!isDifferent) return [];
    settings = { ...settings, ...change };
    return [{ cause, settings: isComputable ? settings : undefined }];
  });
}
