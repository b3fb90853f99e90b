import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { tidy } from '../../../presentation/values.ts';
import { type Fact, type FoundCause, fact } from '../evidence.ts';
import { sayProcessors } from '../phrases.ts';
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
