/** What the JSON of a run says about how it was measured, and what failed. What is absent or of another shape is null. */
import type { Result } from '../../contract/result/result.ts';

export type RunSettings = {
  readonly throttling: string | null;
  readonly benchmarkIndex: number | null;
  /** Ids of the audits that failed; null where it has no list of them. */
  readonly failedAudits: ReadonlySet<string> | null;
};

const parse = (json: string): Partial<Result> => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

/** `simulate, 150 ms, 1638 kbit/s, CPU 4×` */
function toThrottling(environment: Partial<Result['environment']>): string | null {
  const { throttling_method: method, cpu_slowdown_multiplier: cpu, network_throttling: network } = environment;
  if (typeof method !== 'string') return null;
  const parts = [
    method,
    ...(network ? [`${network.rtt_ms} ms`, `${Math.round(network.throughput_kbps)} kbit/s`] : []),
    ...(typeof cpu === 'number' ? [`CPU ${cpu}×`] : []),
  ];
  return parts.join(', ');
}

export function readRunSettings(json: string): RunSettings {
  const { environment: given, failed_audits } = parse(json);
  const environment: Partial<Result['environment']> = given ?? {};
  const index = environment.benchmark_index;
  return {
    throttling: toThrottling(environment),
    benchmarkIndex: typeof index === 'number' && index > 0 ? index : null,
    failedAudits: Array.isArray(failed_audits) ? new Set(failed_audits.map(audit => audit?.id)) : null,
  };
}
