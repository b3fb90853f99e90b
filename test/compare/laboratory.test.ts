/** The laboratory without a browser: of each planted difference the first statement is right. With real loads: laboratory.long.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import { Comparison } from '../../src/contract/analysis/comparison.ts';
import { eighthSet } from './laboratory/eighth-set.ts';
import { eleventhSet } from './laboratory/eleventh-set.ts';
import { fifthSet } from './laboratory/fifth-set.ts';
import { fourthSet } from './laboratory/fourth-set.ts';
import { ninthSet } from './laboratory/ninth-set.ts';
import { comparePlant, isRight, purePlants } from './laboratory/pure-plants.ts';
import { secondSet } from './laboratory/second-set.ts';
import { seventhSet } from './laboratory/seventh-set.ts';
import { sixthSet } from './laboratory/sixth-set.ts';
import { tenthSet } from './laboratory/tenth-set.ts';
import { thirdSet } from './laboratory/third-set.ts';

const laterSets = [
  secondSet,
  thirdSet,
  fourthSet,
  fifthSet,
  sixthSet,
  seventhSet,
  eighthSet,
  ninthSet,
  tenthSet,
  eleventhSet,
];

for (const plant of [purePlants, ...laterSets].flat())
  test(`${plant.name}: ${plant.planted}`, () => {
    const comparison = comparePlant(plant);
    const { causes, verdict } = comparison;
    assert.ok(isRight(plant, comparison), JSON.stringify({ verdict, causes }, null, 1));
    assert.ok(Check(Comparison, comparison));
  });
