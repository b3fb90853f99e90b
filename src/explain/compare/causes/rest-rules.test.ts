import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seesNoise, unexplained } from './rest-rules.ts';

type Given = Parameters<typeof seesNoise>[0];
/** Three local runs of one score; the rules read nothing else. */
const given = (psi: number): Given =>
  ({
    noise: {
      runs: 3,
      scores: { performance: { min: 100, median: 100, max: 100, spread: 0, psi, psi_inside: psi === 100 } },
      metrics: {},
    },
    split: { difference: 100 - psi },
    facts: [{ where: 'with PSI' }, {}],
  }) as unknown as Given;

test('runs that all have one score have no range', () => {
  assert.equal(
    seesNoise(given(98), 2)?.explanation,
    'The score with PSI, 98, is only 2 points from that of all local runs, 100.',
  );
  assert.match(unexplained(given(85), 15)?.explanation ?? '', /, and the local runs score the same\.$/);
});
