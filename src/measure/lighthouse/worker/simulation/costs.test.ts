import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fix, Simulated } from '../../../../contract/stored/what-if-order.ts';
import { costAlone } from './costs.ts';

const base: Simulated = {
  score: 0.5,
  first_contentful_paint: 1000,
  largest_contentful_paint: 2000,
  speed_index: 1500,
  total_blocking_time: 600,
};
const toFix = (id: string, mainThreadMs: number) => ({ id, files: [], bytes: 0, mainThreadMs });
const fixes = [toFix('font-display-insight', 0), toFix('script:/small.js', 60), toFix('script:/large.js', 400)];

/** Simulates two points for each fix; after `most` fixes, there is no time left. */
function costOf(most: number): { simulated: string[]; named: string[] } {
  const simulated: string[] = [];
  const withFixes = ([fix]: readonly Fix[]): Simulated => {
    simulated.push(fix?.id ?? '');
    return { ...base, score: 0.52 };
  };
  const costs = costAlone({ base, fixes, withFixes }, () => simulated.length >= most);
  return { simulated, named: costs.map(({ id }) => id) };
}

test('Without time for all fixes, the heaviest scripts are simulated, and only they have a cost', () => {
  assert.deepEqual(costOf(1), { simulated: ['script:/large.js'], named: ['script:/large.js'] });
  assert.deepEqual(costOf(2).named, ['script:/large.js', 'script:/small.js']);
  assert.deepEqual(costOf(0), { simulated: [], named: [] });
});

test('With time, each fix has a cost', () => {
  assert.deepEqual(costOf(9).named, ['script:/large.js', 'script:/small.js', 'font-display-insight']);
});
