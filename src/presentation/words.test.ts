import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildHistory } from '../../test/support/builders/history.ts';
import { sayNoPoints } from './words.ts';

test('a history without points says whether results are stored that lack the metric', () => {
  const said = (without_value: number) => sayNoPoints(buildHistory('performance', { points: [], without_value }));
  assert.equal(said(0), 'No result of this page is stored.');
  assert.equal(said(1), '1 result of this page is stored, but without Performance.');
  assert.equal(said(3), '3 results of this page are stored, but without Performance.');
});
