import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Shares } from '../points/category-points.ts';
import { findWeights } from './setting-causes.ts';

const sharesOf = (values: Record<string, [weight: number, score: number]>): Shares =>
  new Map(Object.entries(values).map(([id, [weight, score]]) => [id, { weight, score, points: weight * score }]));
const versions = ['11.7.1', '13.5.0'] as const;

test('the effects of different weights on the same scores add up', () => {
  const own = sharesOf({ lcp: [75, 1], cls: [25, 0.2] });
  const cause = findWeights(sharesOf({ lcp: [50, 1], cls: [50, 0.2] }), own, versions);
  assert.deepEqual([cause?.cause, cause?.points, cause?.certainty], ['lighthouse_version', 20, 'observed']);
  assert.deepEqual(cause?.evidence.at(-1), { fact: 'weight', of: 'cls', psi: 50, lighthouse: 25 });
  assert.equal(findWeights(own, own, versions), undefined);
  assert.equal(findWeights(sharesOf({ lcp: [50, 1], cls: [50, 0.2] }), own, ['13.5.0', '13.5.0']), undefined);
  assert.equal(findWeights(sharesOf({ lcp: [50, 1], tti: [50, 1] }), own, versions), undefined, 'not scored here');
});
