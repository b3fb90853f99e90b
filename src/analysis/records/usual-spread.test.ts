import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildEntry, noonMs } from '../../../test/support/builders/entry.ts';
import { buildLocalResult } from '../../../test/web/reports.ts';
import type { EntryFacts } from '../../storage/results/store.ts';
import { findUsualSpread } from './usual-spread.ts';

const hourMs = 3_600_000;
/** Creates a stored result that was measured this many hours before noon. */
const at = (hours: number, performance: number, given: Partial<EntryFacts> = {}): EntryFacts => {
  const entry = buildEntry({ measuredAtMs: noonMs - hours * hourMs });
  return { ...entry, scores: { ...entry.scores, performance }, ...given };
};
const facts = at(0, 80);
const result = buildLocalResult({ scores: { performance: 80 } });
/** Finds the range in a store that lists the newest results first. */
const find = (...stored: EntryFacts[]) =>
  findUsualSpread(
    { list: async () => ({ results: stored.toSorted((a, b) => b.measuredAtMs - a.measuredAtMs), next: null }) },
    result,
    facts,
  );
const ofScore = async (...stored: EntryFacts[]) => {
  const spread = await find(...stored);
  return spread && [spread.results, spread.scores.performance?.min, spread.scores.performance?.max];
};

test('the spread of a page comes from its stored results, with their number and period', async () => {
  const spread = await find(at(3, 84), at(2, 90), at(1, 87));
  assert.deepEqual(spread?.scores, { performance: { min: 84, median: 87, max: 90, spread: 6 } });
  assert.deepEqual(spread?.metrics.largest_contentful_paint, { min: 1200, median: 1200, max: 1200, spread: 0 });
  assert.deepEqual(
    [spread?.results, spread?.from, spread?.to],
    [3, '2026-11-20T09:00:00.000Z', '2026-11-20T11:00:00.000Z'],
  );
});

test('too few results, or a store that cannot be read, give no spread', async () => {
  assert.equal(await find(), undefined);
  assert.equal(await find(at(2, 90), at(1, 87)), undefined);
  assert.equal(await findUsualSpread({ list: () => Promise.reject(new Error('gone')) }, result, facts), undefined);
});

test('results with other settings or versions, and disturbed ones, do not count', async () => {
  const alike = [at(9, 84), at(8, 90), at(7, 87)];
  const { analyser } = facts;
  const others = [
    at(1, 10, { disturbed: true }),
    at(2, 10, { cpuSlowdown: 6.2 }),
    at(3, 10, { cpuSlowdown: null }),
    at(4, 10, { profile: 'psi' }),
    at(5, 10, { analyser: { ...analyser, lighthouseVersion: '13.6.0' } }),
    at(6, 10, { analyser: { ...analyser, kind: 'embedded' } }),
  ];
  assert.deepEqual(await ofScore(...alike, ...others), [3, 84, 90]);
  assert.equal(await ofScore(...alike.slice(1), ...others), undefined);
  assert.deepEqual(await ofScore(...alike, at(1, 88, { disturbed: null })), [4, 84, 90], 'not known is not disturbed');
});

test('a measurement that a PSI server returned twice is one result', async () => {
  assert.equal(await find(at(2, 90), at(1, 87), at(1, 87)), undefined);
});

test('after a change of the page, only later results count', async () => {
  const before = Array.from({ length: 12 }, (_, hour) => at(40 - hour, 50 + (hour % 3)));
  const after = Array.from({ length: 12 }, (_, hour) => at(20 - hour, 90 + (hour % 3)));
  assert.deepEqual(await ofScore(...before, ...after), [12, 90, 92]);
});

test('a result that confirms a change has no range of both states', async () => {
  const before = Array.from({ length: 6 }, (_, hour) => at(10 - hour, 100));
  assert.deepEqual(await ofScore(...before), [6, 100, 100]);
  assert.equal(await ofScore(...before, at(1, 80)), undefined);
});

test('only the newest twenty results count', async () => {
  const many = Array.from({ length: 40 }, (_, hour) => at(40 - hour, 80 + (hour % 2)));
  assert.deepEqual(await ofScore(...many), [20, 80, 81]);
});
