import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../test/support/builders/side.ts';
import type { Result } from '../../contract/result/result.ts';
import { withOtherHalf } from './side.ts';

const warning =
  'This run was disturbed: main-thread tasks waited 101 ms for a CPU while another audit ran on this machine.';

const buildHalf = (
  source: 'psi' | 'lighthouse',
  fetchedAt: string,
  concurrentAudits = 1,
  machineId = 'one',
): Result => {
  const { result } = buildSide({ source });
  const environment = { ...result.environment, concurrent_audits: concurrentAudits, boot_id: machineId };
  return { ...result, environment, fetched_at: fetchedAt, duration_ms: 5000, warnings: [warning] };
};

const [start, meanwhile, later] = [0, 2, 20].map(second =>
  new Date(Date.UTC(2026, 10, 20, 10, 0, second)).toISOString(),
);
const names = (psi: Result, lighthouse: Result) => {
  const named = withOtherHalf(psi, lighthouse);
  return [named.psi, named.lighthouse].map(({ warnings }) => /the other half of this comparison/.test(warnings.join()));
};

test('two halves that ran on one machine at the same time name each other, and no other audit', () => {
  const psi = buildHalf('psi', start as string);
  assert.deepEqual(names(psi, buildHalf('lighthouse', meanwhile as string)), [true, true]);
  assert.deepEqual(names(psi, buildHalf('lighthouse', meanwhile as string, 2)), [true, false], 'there were others');
  assert.deepEqual(names(psi, buildHalf('lighthouse', later as string)), [false, false], 'one after the other');
  assert.deepEqual(names(psi, buildHalf('lighthouse', meanwhile as string, 1, 'two')), [false, false]);
});
