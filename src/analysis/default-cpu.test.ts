import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultSettings } from 'lighthouse/core/config/constants.js';
import psiMobileConfig from 'lighthouse/core/config/lr-mobile-config.js';
import type { Result } from '../contract/result/result.ts';
import type { ReAuditResult } from '../measure/lighthouse/replies.ts';
import { addDefaultCpu, sayCalibration, toDefaultCpu, usualMultipliers, withoutCalibration } from './default-cpu.ts';

const { signal } = new AbortController();

/** Creates a result with only the fields that the code reads. */
const toResult = (performance: number | null): Result =>
  ({
    final_url: 'http://page.test/',
    scores: { performance },
    failed_audits: [],
    warnings: ['A warning of Lighthouse.'],
    environment: { cpu_slowdown_multiplier: 1.9, calibration: { benchmark_index: 735.5, measurements: 5 } },
  }) as unknown as Result;

const again = (score: number | null, blockingMs = 90): ReAuditResult => ({
  'total-blocking-time': { score: 0.5, value: blockingMs },
  performance: { score, value: null },
});

test('the default multipliers are those of the presets', () => {
  assert.equal(usualMultipliers.lighthouse, defaultSettings.throttling.cpuSlowdownMultiplier);
  assert.equal(usualMultipliers.psi, psiMobileConfig.settings?.throttling?.cpuSlowdownMultiplier);
});

test('the second score is the one with the default multiplier, with its metrics', () => {
  assert.deepEqual(toDefaultCpu(toResult(81), 4, [again(0.81), again(0.58, 700)]), {
    cpu_slowdown_multiplier: 4,
    performance: 58,
    metrics: { total_blocking_time: 700 },
  });
});

test('without the measured values of a load, there is no default score', () => {
  assert.equal(toDefaultCpu(toResult(81), 4, [again(0.7), again(0.58)]), null);
  assert.equal(toDefaultCpu(toResult(81), 4, [again(null), again(0.58)]), null);
  assert.equal(toDefaultCpu(toResult(81), 4, [again(0.81), again(null)]), null);
  assert.equal(toDefaultCpu(toResult(null), 4, [again(0.81), again(0.58)]), null);
  assert.equal(toDefaultCpu(toResult(81), 4, []), null);
});

test('a result contains its calibration and both scores', async () => {
  const asked: unknown[] = [];
  const reAudit = async (...order: unknown[]) => {
    asked.push(order.slice(0, 2));
    return [again(0.81), again(0.58)];
  };
  const result = await addDefaultCpu({ reAudit }, { result: toResult(81), artifacts: 'a' }, 'lighthouse', signal);
  assert.deepEqual(asked, [['a', [{}, { cpuSlowdownMultiplier: 4 }]]]);
  assert.equal(result.default_cpu?.performance, 58);
  assert.deepEqual(result.warnings, [
    'CPU throttling: 1.9×, calibrated from a benchmark index of 736 (5 measurements). With the default 4×, this load scores 58.',
    'A warning of Lighthouse.',
  ]);
});

test('a failed re-audit costs only the second score', async () => {
  const reAudit = async () => {
    throw new Error('too late');
  };
  const result = await addDefaultCpu({ reAudit }, { result: toResult(81), artifacts: 'a' }, 'psi', signal);
  assert.equal(result.default_cpu, null);
  assert.match(result.warnings[0] ?? '', /could not be computed/);
  assert.equal(result.scores.performance, 81);
});

test('a machine slower than the phone is reported, and so is a desktop computer', () => {
  const slow = toResult(40);
  Object.assign(slow.environment, { cpu_slowdown_multiplier: 1 });
  Object.assign(slow.environment.calibration ?? {}, { benchmark_index: 120 });
  assert.match(sayCalibration(slow, null)[0] ?? '', /120 \(5 measurements\)\. This machine is slower than the phone/);
  assert.match(withoutCalibration(toResult(90)).warnings[0] ?? '', /^CPU throttling: 1×\. Desktop runs/);
});

test('without performance there is no second score', async () => {
  const reAudit = async () => assert.fail('nothing is audited again');
  const result = await addDefaultCpu({ reAudit }, { result: toResult(null), artifacts: 'a' }, 'psi', signal);
  assert.equal(result.default_cpu, null);
});
