/** Causes of settings that differ, and of metric weights that differ between two versions. */
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { tidy } from '../../../presentation/values.ts';
import { leastPoints } from '../constants.ts';
import { type Fact, type FoundCause, fact, factOf, sayProcessors } from '../evidence.ts';
import type { Shares } from '../points/category-points.ts';
import { type StepName, toEquivalentMultiplier } from '../re-audits/plan-re-audits.ts';

type ToldSetting = { evidence: Fact[]; explanation: string };

const assumed = ({ throttling }: SideFacts): string =>
  throttling.isTold
    ? ''
    : ' The PSI result does not include its settings, so the PageSpeed Insights presets are assumed.';

const tellThrottling = (psi: SideFacts, lighthouse: SideFacts): ToldSetting => ({
  evidence: (
    [
      ['throttling_method', 'method'],
      ['round_trip_ms', 'rttMs'],
      ['throughput_kbps', 'throughputKbps'],
    ] as const
  ).map(([of, name]) => fact(of, psi.throttling[name], lighthouse.throttling[name])),
  explanation: `The two sides simulate different networks.${assumed(psi)}`,
});

const speedOf = ({ benchmarkIndex, throttling }: SideFacts): number | null =>
  benchmarkIndex === null ? null : tidy(benchmarkIndex / throttling.cpuSlowdownMultiplier, 0);

const tellMultipliers = (psi: SideFacts, lighthouse: SideFacts): string => {
  const [theirs, ours] = [psi.throttling.cpuSlowdownMultiplier, lighthouse.throttling.cpuSlowdownMultiplier];
  return theirs === ours
    ? `CPU throttling is ${ours}× on both sides.`
    : `CPU throttling is ${theirs}× ${psi.where} and ${ours}× ${lighthouse.where}.`;
};

const tellCpu = (psi: SideFacts, lighthouse: SideFacts): ToldSetting => {
  const [theirs, ours] = [psi.throttling.cpuSlowdownMultiplier, lighthouse.throttling.cpuSlowdownMultiplier];
  return {
    evidence: [fact('cpu_slowdown_multiplier', theirs, ours)],
    explanation: `${tellMultipliers(psi, lighthouse)}${assumed(psi)}`,
  };
};

const sayLimits = (psi: SideFacts, lighthouse: SideFacts): string =>
  psi.processors !== lighthouse.processors && psi.processors !== null && lighthouse.processors !== null
    ? ` (${sayProcessors(psi, lighthouse)})`
    : '';

const tellMachine = (psi: SideFacts, lighthouse: SideFacts): ToldSetting => ({
  evidence: [
    fact('benchmark_index', psi.benchmarkIndex, lighthouse.benchmarkIndex),
    fact('index_over_multiplier', speedOf(psi), speedOf(lighthouse)),
    fact('processors', psi.processors, lighthouse.processors),
  ],
  explanation: `The benchmark index, a rough measure, suggests machines of different speed${sayLimits(psi, lighthouse)}: CPU throttling ${psi.where} corresponds to ${toEquivalentMultiplier(psi, lighthouse, false)}× on this machine.`,
});

const largest = (latencies: SideFacts['serverLatency']): number | null => {
  const values = Object.values(latencies);
  return values.length === 0 ? null : tidy(Math.max(...values), 1);
};

const tellServer = (psi: SideFacts, lighthouse: SideFacts): ToldSetting => {
  const response = (side: SideFacts) => (side.serverResponseTime === null ? null : tidy(side.serverResponseTime, 1));
  return {
    evidence: [
      fact('server_response_ms', response(psi), response(lighthouse)),
      fact('server_latency_ms', largest(psi.serverLatency), largest(lighthouse.serverLatency)),
      fact('network_round_trip_ms', largest(psi.roundTripTime), largest(lighthouse.roundTripTime)),
    ],
    explanation: 'Server response times or network distances differ between the two sides.',
  };
};

const tellers: Readonly<Record<StepName, (psi: SideFacts, lighthouse: SideFacts) => ToldSetting>> = {
  throttling: tellThrottling,
  cpu: tellCpu,
  server: tellServer,
  machine: tellMachine,
};

/** Returns the certainty. Causes derived from a benchmark index are only possible, even if a re-audit computed them. */
const toCertainty = (cause: StepName, points: number | null): FoundCause['certainty'] => {
  if (cause === 'machine') return 'possible';
  return points === null ? 'observed' : 'computed';
};

/**
 * Returns the cause for a setting that differs.
 * @param points as computed by a re-audit; null without one
 */
export function toSettingCause(
  cause: StepName,
  points: number | null,
  [psi, lighthouse]: readonly [SideFacts, SideFacts],
): FoundCause {
  const { evidence, explanation } = tellers[cause](psi, lighthouse);
  return {
    cause,
    category: 'performance',
    points,
    certainty: toCertainty(cause, points),
    evidence,
    explanation: points === null ? `${explanation} The effect was not computed.` : explanation,
  };
}

/**
 * Computes the effect of metric weights that differ between two versions of Lighthouse: a plain sum. Undefined if versions or weights are the same, or if PSI weighs a metric that local Lighthouse
 * does not.
 */
export function findWeights(psi: Shares, own: Shares, versions: readonly [string, string]): FoundCause | undefined {
  if (versions[0] === versions[1]) return undefined;
  const isKnown = [...psi.keys()].every(id => own.has(id));
  const moved = [...own].map(([id, { weight, score }]) => {
    const theirs = psi.get(id)?.weight ?? 0;
    return { id, theirs, weight, points: (score ?? 0) * (weight - theirs) };
  });
  const points = tidy(
    moved.reduce((sum, metric) => sum + metric.points, 0),
    1,
  );
  if (!isKnown || Math.abs(points) < leastPoints) return undefined;
  const [theirs, ours] = versions;
  return {
    cause: 'lighthouse_version',
    category: 'performance',
    points,
    certainty: 'observed',
    evidence: [
      fact('lighthouse_version', theirs, ours),
      ...moved
        .filter(metric => Math.abs(metric.weight - metric.theirs) >= leastPoints)
        .map(({ id, theirs, weight }) => factOf('weight', id, tidy(theirs, 1), tidy(weight, 1))),
    ],
    explanation: `Lighthouse ${theirs} and ${ours} weigh the metrics differently, so the same metrics give different scores.`,
  };
}
