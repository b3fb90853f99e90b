import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../contract/errors.ts';
import { toPages } from './to-pages.ts';

test('a repeated URL refers to its first position, and an invalid one has failed already', () => {
  const error = new AnalysisError('invalid_url', 'No URL.');
  const { pages, counts } = toPages([
    { url: 'https://a.test/', error: null },
    { url: 'nonsense', error },
    { url: 'https://a.test/', error: null },
    { url: 'nonsense', error },
    { url: 'https://a.test/', error: null },
  ]);
  assert.deepEqual(counts, { total: 5, done: 2, failed: 2 });
  assert.deepEqual(
    pages.map(({ sameAs, copies, outcome }) => [sameAs, copies, outcome?.error?.code]),
    [
      [null, 3, undefined],
      [null, 1, 'invalid_url'],
      [0, 1, undefined],
      [null, 1, 'invalid_url'],
      [0, 1, undefined],
    ],
  );
});
