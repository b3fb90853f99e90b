/** The laboratory with real loads on both sides: see laboratory.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/ask.ts';
import { isRightlyTold, realPlants } from './laboratory/real-plants.ts';
import { startLaboratory, urlOf } from './laboratory/site.ts';
import type { Both } from './two-sides.ts';

const service = await startLaboratory({ after }, name => realPlants.find(plant => plant.name === name));

for (const plant of realPlants)
  test(`${plant.name}: ${plant.planted}`, async () => {
    const { name, profile = 'psi' } = plant;
    const { body } = await ask<Both>(service, withQuery('/compare', { url: urlOf(name), profile }));
    const { verdict, causes } = body.comparison;
    assert.ok(isRightlyTold(plant, body.comparison), JSON.stringify({ verdict, causes }, null, 1));
  });
