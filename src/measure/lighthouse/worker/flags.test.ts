import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toInterception } from '../../../contract/experiments/load-variant.ts';
import { usualLimits } from '../audit-limits.ts';
import type { AuditSettings } from '../messages.ts';
import { toFlags } from './flags.ts';

const audit: AuditSettings = {
  url: 'https://a.example/',
  strategy: 'mobile',
  categories: ['performance'],
  profile: 'lighthouse',
  locale: 'en-US',
};
const unchanged = { block: [], replace: [], headers: {}, recipes: [], throttling: null } as const;
const variant = { ...unchanged, intercept: toInterception([unchanged]), throttlingMethod: 'devtools' } as const;
const flagsOf = (changes: Partial<AuditSettings>, calibration?: Parameters<typeof toFlags>[2]) =>
  toFlags({ ...audit, ...changes }, usualLimits.page, calibration);

test('applied throttling also has a network for desktop', () => {
  const { throttling, throttlingMethod } = flagsOf({ strategy: 'desktop', variant });
  assert.equal(throttlingMethod, 'devtools');
  assert.deepEqual([throttling?.requestLatencyMs, throttling?.downloadThroughputKbps], [150, 9216]);
  assert.equal(flagsOf({ variant }).throttling?.requestLatencyMs, 562.5);
});

test('the multiplier of a variant overrides the calibrated one, and headers become no flag', () => {
  const calibration = { benchmarkIndex: 800, measurements: 3, measured: [] };
  const headers = { 'x-secret': 'text' };
  const throttling = { rtt_ms: 40, throughput_kbps: 10_240, cpu_slowdown_multiplier: 6 };
  const flags = flagsOf({ variant: { ...variant, headers, throttling, block: ['*/ad.js'] } }, calibration);
  assert.equal(flags.throttling?.cpuSlowdownMultiplier, 6);
  assert.deepEqual(flags.blockedUrlPatterns, ['*/ad.js']);
  assert.ok(!JSON.stringify(flags).includes('secret'));
  assert.ok((flagsOf({ variant }, calibration).throttling?.cpuSlowdownMultiplier ?? 6) < 4);
});

test('a load without a variant has only the settings of its preset', () => {
  const { throttling, throttlingMethod, blockedUrlPatterns, skipAudits } = flagsOf({});
  assert.deepEqual([throttling, throttlingMethod, blockedUrlPatterns, skipAudits], Array(4).fill(undefined));
});
