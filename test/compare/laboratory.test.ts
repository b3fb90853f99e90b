/** The laboratory without a browser: of each planted difference the first statement is right. With real loads: laboratory.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { Comparison } from '../../src/contract/analysis/comparison.ts';
import { comparePlant, isRight } from './laboratory/pure-plants.ts';
import { pureSets } from './laboratory/pure-sets.ts';

for (const plant of Object.values(pureSets).flat())
  test(`${plant.name}: ${plant.planted}`, () => {
    const comparison = comparePlant(plant);
    const { causes, verdict } = comparison;
    assert.ok(isRight(plant, comparison), JSON.stringify({ verdict, causes }, null, 1));
    assert.ok(Check(Comparison, comparison));
  });
