import assert from 'node:assert/strict';
import { test } from 'node:test';
import { averageAudits } from './alike-loads.ts';

test('scores and values are averaged over the simulations of a load', () => {
  const one = { performance: { score: 0.8, value: null }, 'speed-index': { score: 1, value: 1000 } };
  const other = { performance: { score: 0.6, value: null }, 'speed-index': { score: 0.5, value: 3000 } };
  assert.deepEqual(averageAudits([one, other]), {
    performance: { score: 0.7, value: null },
    'speed-index': { score: 0.75, value: 2000 },
  });
  assert.deepEqual(averageAudits([one]), one);
});

test('without a simulation, or with an empty one, there is no mean', () => {
  assert.equal(averageAudits([]), undefined);
  assert.equal(averageAudits([{ performance: { score: 1, value: null } }, {}]), undefined);
});
