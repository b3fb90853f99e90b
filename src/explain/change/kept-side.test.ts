import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toScored } from '../../../test/support/builders/kept-side.ts';
import { orderByMedian } from './kept-side.ts';

const scoresOf = (scores: number[]) =>
  orderByMedian(toScored(scores)).map(({ scores: { performance } }) => performance);

test('the run closest to the median is first, and the newest of equally close ones', () => {
  assert.deepEqual(scoresOf([60, 90, 88, 99, 89]), [89, 88, 90, 99, 60]);
  const [first, second] = toScored([90, 90]);
  assert.ok(first && second);
  assert.equal(orderByMedian([first, second])[0]?.id, second.id);
});

test('a run that lacks a value that others have is last', () => {
  const entries = toScored([90, 50, 91]);
  const without = entries.map((entry, at) =>
    at === 0 ? { ...entry, scores: { ...entry.scores, performance: null } } : entry,
  );
  assert.equal(orderByMedian(without).at(-1)?.id, entries[0]?.id);
});

test('runs without any value keep their order', () => {
  const [entry] = toScored([90]);
  assert.ok(entry);
  const empty = { ...entry, scores: { ...entry.scores, performance: null } };
  assert.equal(orderByMedian([empty]).length, 1);
  assert.deepEqual(orderByMedian([]), []);
});
