import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts, pageUrl } from '../../../../test/support/builders/load-facts.ts';
import type { FilePlace, LoadFacts } from '../../../contract/result/load-facts.ts';
import { isApart, toSharedConditions } from './shared-conditions.ts';

const origin = 'https://example.com';
const withLatency = (...all: readonly number[]) => all.map(ms => buildFacts({}, { latencyMs: { [origin]: ms } }));
const withPlaces = (...all: readonly FilePlace[]) => all.map(place => buildFacts({ 'hero.png': { place } }));
const hero = `${pageUrl}hero.png`;

test('sides differ only if all values of one exceed those of the other, with at least five runs a side', () => {
  assert.equal(isApart([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]), true);
  assert.equal(isApart([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]), true);
  assert.equal(isApart([1, 2, 3, 4, 6], [5, 7, 8, 9, 10]), false);
  assert.equal(isApart([1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 6), false);
  assert.equal(isApart([1, 2, 3], [6, 7, 8]), false);
  assert.equal(isApart([], [1, 2, 3, 4, 5]), false);
});

test('with ten runs a side, some values may overlap', () => {
  const [low, high] = [0, 20].map(from => Array.from({ length: 10 }, (_, at) => from + at)) as [number[], number[]];
  assert.equal(isApart([...low.slice(1), 25], [...high.slice(1), 5]), true);
  assert.equal(isApart([...low.slice(5), 25, 26, 27, 28, 29], high), false);
  assert.equal(isApart([7, 7, 7, 7, 7], [7, 7, 7, 7, 7]), false);
});

test('server latency that varies is shared, and a server that slowed down stays slower', () => {
  const shared = toSharedConditions({ before: withLatency(5, 34, 27, 24, 5), after: withLatency(6, 5, 40, 8, 30) });
  assert.equal(shared.before.latencyMs[origin], shared.after.latencyMs[origin]);
  const slower = toSharedConditions({
    before: withLatency(5, 34, 27, 24, 5),
    after: withLatency(306, 305, 340, 308, 330),
  });
  assert.deepEqual([slower.before.latencyMs[origin], slower.after.latencyMs[origin]], [24, 308]);
});

test('latencies that differ by less than jitter are shared, however clear the difference', () => {
  const { before, after } = toSharedConditions({
    before: withLatency(5, 5, 5, 5, 5),
    after: withLatency(9, 9, 9, 9, 9),
  });
  assert.deepEqual([before.latencyMs[origin], after.latencyMs[origin]], [5, 5]);
});

/** Where a file stands in each scenario of both sides. */
const placesOf = (before: readonly LoadFacts[], after: readonly LoadFacts[], url = hero) => {
  const shared = toSharedConditions({ before, after });
  return [shared.before, shared.after].map(({ scenarios }) => scenarios.map(places => places[url]?.place));
};

test('a file that precedes the largest paint by chance gets the same share on both sides', () => {
  const [before, after] = placesOf(
    withPlaces('after', 'after', 'largest', 'after', 'largest'),
    withPlaces('largest', 'largest', 'largest', 'after', 'largest'),
  );
  assert.deepEqual(before, after);
  assert.deepEqual(before?.toSorted(), ['after', 'after', 'largest', 'largest']);
});

test('files that move together stay together', () => {
  const load = (place: FilePlace) => buildFacts({ 'hero.png': { place }, 'late.js': { place } });
  const loads = (['after', 'largest', 'after', 'largest', 'after'] as const).map(load);
  const { before } = toSharedConditions({ before: loads, after: loads });
  for (const places of before.scenarios) assert.equal(places[hero]?.place, places[`${pageUrl}late.js`]?.place);
});

const always = (place: FilePlace, documentBytes = 20_000) =>
  [0, 1, 2, 3, 4].map(() => buildFacts({ '': { resourceBytes: documentBytes }, 'hero.png': { place } }));

test('a file that now always follows the paint keeps its position if the page changed', () => {
  assert.deepEqual(placesOf(always('largest'), always('after', 20_015)), [['largest'], ['after']]);
});

test('on a page with the same files, such a move is due to a busy machine', () => {
  const [before, after] = placesOf(always('largest'), always('after'));
  assert.deepEqual(before, after);
});

test('a file on one side only has its position in the loads of that side', () => {
  const one = Array.from({ length: 5 }, (_, at) => buildFacts({ 'tag.js': { place: at < 3 ? 'first' : 'after' } }));
  const [before, after] = placesOf(always('after'), one, `${pageUrl}tag.js`);
  assert.deepEqual(new Set(before), new Set([undefined]));
  assert.deepEqual(new Set(after), new Set(['first', 'after']));
});

test('equal loads need only one scenario', () => {
  assert.deepEqual(placesOf(always('largest'), always('largest')), [['largest'], ['largest']]);
});

const withWork = (cpuMs: number, benchmarkIndex: number | null, script: object = {}): LoadFacts[] =>
  [0, 1, 2, 3, 4].map(at =>
    buildFacts({ 'app.js': { type: 'Script', cpuMs: cpuMs + at, ...script } }, { benchmarkIndex }),
  );

const factorsOf = (before: readonly LoadFacts[], after: readonly LoadFacts[]) => {
  const shared = toSharedConditions({ before, after });
  return [shared.before.cpuFactor, shared.after.cpuFactor].map(factor => Math.round(10 * factor) / 10);
};

test('the side with the faster CPU is slowed down to match the other, based on shared work', () => {
  assert.deepEqual(factorsOf(withWork(100, 1500), withWork(202, 750)), [2, 1]);
  assert.deepEqual(factorsOf(withWork(202, 750), withWork(100, 1500)), [1, 2]);
});

test('the same script taking longer on a machine of the same speed is a change of the page', () => {
  assert.deepEqual(factorsOf(withWork(100, 1500), withWork(202, 1500)), [1, 1]);
  assert.deepEqual(factorsOf(withWork(100, null), withWork(202, null)), [1, 1]);
});

test('changed scripts, or little work, reveal nothing about the CPU', () => {
  assert.deepEqual(factorsOf(withWork(100, 1500), withWork(202, 750, { resourceBytes: 90_000 })), [1, 1]);
  assert.deepEqual(factorsOf(withWork(5, 1500), withWork(11, 750)), [1, 1]);
});
