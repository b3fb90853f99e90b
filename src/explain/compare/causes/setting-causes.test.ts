import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSide } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toSettingCause } from './setting-causes.ts';

const factsOf = (cpuSlowdownMultiplier: number, benchmarkIndex: number, kind: 'google' | 'local' = 'google') =>
  toSideFacts(buildSide({ throttling: { cpuSlowdownMultiplier }, benchmarkIndex }).lhr, 'mobile', { kind });
const tell = (psi: ReturnType<typeof factsOf>, lighthouse: ReturnType<typeof factsOf>) =>
  toSettingCause('cpu', 1, [psi, lighthouse]).explanation;

test('a multiplier of 1 is not mentioned, and equal multipliers are no difference', () => {
  assert.equal(
    tell(factsOf(1.2, 2000), factsOf(4, 2000, 'local')),
    'CPU throttling is 1.2× on Google and 4× in local Lighthouse.',
  );
  assert.equal(
    tell(factsOf(1, 2000), factsOf(4, 2000, 'local')),
    'CPU throttling is 1× on Google and 4× in local Lighthouse.',
  );
  assert.equal(
    tell(factsOf(4, 2000), factsOf(1, 2000, 'local')),
    'CPU throttling is 4× on Google and 1× in local Lighthouse.',
  );
  assert.equal(tell(factsOf(1, 800), factsOf(1, 2800, 'local')), 'CPU throttling is 1× on both sides.');
});

test('a cause based on the benchmark index is possible, however it was computed', () => {
  const { certainty, explanation } = toSettingCause('machine', -8, [factsOf(1, 800), factsOf(1, 2800, 'local')]);
  assert.equal(certainty, 'possible');
  assert.match(
    explanation,
    /^The benchmark index, a rough measure, .*: CPU throttling on Google corresponds to 3\.5× on this machine\.$/,
  );
});
