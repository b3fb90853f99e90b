import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCategory, buildLhr } from '../../../test/support/builders/lhr.ts';
import { toPercent, toScores } from './metrics.ts';

test('a score becomes an integer from 0 to 100', () => {
  for (let percent = 0; percent <= 100; percent++) assert.equal(toPercent(percent / 100), percent);
  // 0.29 * 100 is 28.999999999999996 and 0.57 * 100 is 56.99999999999999.
  assert.equal(toPercent(0.29), 29);
  assert.equal(toPercent(0.57), 57);
  assert.equal(toPercent(0.995), 100);
});

test('a score of 0 stays 0; null and missing are null', () => {
  assert.equal(toPercent(0), 0);
  assert.equal(toPercent(null), null);
  assert.equal(toPercent(undefined), null);
});

test('scores have the requested categories only, in the order of the request', () => {
  const lhr = buildLhr({
    categories: [
      buildCategory('performance', [], 0.5),
      buildCategory('accessibility', [], 0.9),
      buildCategory('best-practices', [], 1),
      buildCategory('seo', [], 0.42),
    ],
  });
  assert.deepEqual(toScores(lhr, ['seo']), { seo: 42 });
  assert.deepEqual(Object.keys(toScores(lhr, ['seo', 'performance'])), ['seo', 'performance']);
  assert.deepEqual(toScores(lhr, ['best-practices', 'accessibility']), { 'best-practices': 100, accessibility: 90 });
  assert.deepEqual(toScores(lhr, []), {});
});

test('a category that scored 0 is 0; one without a score, or not in the result, is null', () => {
  const lhr = buildLhr({ categories: [buildCategory('performance', [], 0), buildCategory('seo', [], null)] });
  assert.deepEqual(toScores(lhr, ['performance', 'seo', 'accessibility']), {
    performance: 0,
    seo: null,
    accessibility: null,
  });
});
