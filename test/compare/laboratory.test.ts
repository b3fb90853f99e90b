/** The laboratory without a browser: of each planted difference the first statement is right. With real loads: laboratory.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { Comparison } from '../../src/contract/analysis/comparison.ts';
import { comparePlant, isRight } from './laboratory/compare-plant.ts';
import { moreRealPlants } from './laboratory/more-real-plants.ts';
import { plants } from './laboratory/plants.ts';
import { realCauses } from './laboratory/real-causes.ts';
import { realPlants } from './laboratory/real-plants.ts';

/** Asserts that points with a named cause are not also reported as unexplained, or as noise without evidence. */
function assertConsistent({ causes, explanation: verdict, noise, scores }: Comparison): void {
  const isRest = ({ cause }: Comparison['causes'][number]) => cause === 'run_noise' || cause === 'unexplained';
  const bears = causes.filter(({ category }) => category === 'performance' || category === null);
  const isNamed = bears.some(
    cause =>
      !isRest(cause) &&
      cause.certainty !== 'possible' &&
      (cause.cause === 'different_page' || Math.abs(cause.points ?? 0) >= 2),
  );
  const isApart = Math.abs(scores.performance?.difference ?? 0) > (noise ? 100 : 5);
  for (const { cause, explanation, evidence } of isNamed && isApart ? causes : []) {
    assert.doesNotMatch(explanation, /No setting explains it/, verdict);
    assert.ok(cause !== 'run_noise' || evidence.length > 0, verdict);
  }
}

for (const plant of Object.values(plants).flat())
  test(`${plant.name}: ${plant.planted}`, () => {
    const comparison = comparePlant(plant);
    const { causes, explanation: verdict } = comparison;
    assert.ok(isRight(plant, comparison), JSON.stringify({ verdict, causes }, null, 1));
    assertConsistent(comparison);
    assert.ok(Check(Comparison, comparison));
  });

test('plants of real loads have different names: the site serves the first one with a name', () => {
  const names = [...realPlants, ...moreRealPlants, ...realCauses].map(({ name }) => name);
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
});
