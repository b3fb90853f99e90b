import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDetails, buildSide, pageUrl } from '../../../../test/support/builders/side.ts';
import { toSideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { findLateAnswer } from './differences.ts';

/** A load of a document, and of an image that took this many milliseconds. */
const load = (ms: number) => {
  const items = [
    { url: pageUrl, resourceType: 'Document', statusCode: 200 },
    {
      url: `${pageUrl}a.png`,
      resourceType: 'Image',
      statusCode: 200,
      transferSize: 900,
      networkRequestTime: 100,
      networkEndTime: 100 + ms,
    },
  ];
  return toSideFacts(buildSide({ audits: [buildDetails('network-requests', { items })] }).lhr, 'mobile');
};

test('an answer is late if it is late in every local run', () => {
  const find = (psi: number, ...local: [number, ...number[]]) => {
    const [shown, ...others] = local;
    return findLateAnswer(load(psi), load(shown), others.map(load));
  };
  const late = { place: 'example.com/a.png', psi: 20, lighthouse: 1500 };
  assert.deepEqual(find(20, 1500), late);
  assert.deepEqual(find(20, 1500, 1300, 1600), late);
  assert.deepEqual(find(20, 1500, 20, 1600), undefined, 'the machine was held up');
  assert.deepEqual(find(1500, 20, 30), { ...late, psi: 1500, lighthouse: 20 });
  assert.deepEqual(find(1500, 20, 9000), undefined, 'one run is later still');
});
