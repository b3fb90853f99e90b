/** Throttling of a load without changes, as Lighthouse's presets have it. */
import type { Throttling } from '../contract/experiments/request.ts';
import type { Profile, Strategy } from '../contract/names.ts';
import { networks } from '../explain/what-if/plan.ts';
import { usualMultipliers } from './default-cpu.ts';

/** usual-throttling.test.ts compares it with Lighthouse's presets. */
export function usualThrottling(strategy: Strategy, profile: Profile): Throttling {
  const { rttMs, throughputKbps } = strategy === 'desktop' ? networks.fast_4g : networks.slow_4g;
  const cpu = strategy === 'desktop' ? 1 : usualMultipliers[profile];
  return { rtt_ms: rttMs, throughput_kbps: throughputKbps, cpu_slowdown_multiplier: cpu };
}
