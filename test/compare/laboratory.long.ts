/** The laboratory with real loads on both sides: see laboratory.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { isRightlyTold, realPlants } from './laboratory/real-plants.ts';
import { startLaboratory, urlOf } from './laboratory/site.ts';
import type { Both } from './two-sides.ts';

const service = await startLaboratory({ after }, name => realPlants.find(plant => plant.name === name));

/** Real loads have noise that no rule foresees: of 30, two may be told wrongly. Which, the diagnostics say. */
const leastRight = Math.ceil(0.93 * realPlants.length);

test('of what is planted into real loads the first statement is right, but for two of thirty at most', async t => {
  let right = 0;
  for (const plant of realPlants) {
    const { name, profile = 'psi' } = plant;
    const { body } = await ask<Both>(service, withQuery('/compare', { url: urlOf(name), profile }));
    if (isRightlyTold(plant, body.comparison)) right += 1;
    else t.diagnostic(`${name}, ${plant.planted}: ${body.comparison.verdict}`);
  }
  t.diagnostic(`${right} of ${realPlants.length} right`);
  assert.ok(right >= leastRight);
});
