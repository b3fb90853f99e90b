import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildFacts, pageUrl } from '../../../../test/support/builders/load-facts.ts';
import type { FilePlace, LoadFacts } from '../../../contract/result/load-facts.ts';
import { toSharedConditions } from './shared-conditions.ts';

const origin = 'https://example.com';
const withLatency = (...all: readonly number[]) => all.map(ms => buildFacts({}, { latencyMs: { [origin]: ms } }));
const withPlaces = (...all: readonly FilePlace[]) => all.map(place => buildFacts({ 'hero.png': { place } }));
const hero = `${pageUrl}hero.png`;

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

test('a slower processor explains latencies that a faster one would not', () => {
  const on = (cpuMs: number, benchmarkIndex: number, latencyMs: number) =>
    [0, 1, 2, 3, 4].map(at =>
      buildFacts(
        { 'app.js': { type: 'Script', cpuMs: cpuMs + at } },
        { benchmarkIndex, latencyMs: { [origin]: latencyMs } },
      ),
    );
  const latenciesOf = (...sides: [before: LoadFacts[], after: LoadFacts[]]) => {
    const { before, after } = toSharedConditions({ before: sides[0], after: sides[1] });
    return [before.latencyMs[origin], after.latencyMs[origin]];
  };
  assert.deepEqual(latenciesOf(on(100, 1500, 12), on(100, 1500, 90)), [12, 90]);
  assert.deepEqual(latenciesOf(on(100, 1500, 12), on(202, 750, 90)), [12, 12]);
  assert.deepEqual(latenciesOf(on(100, 1500, 12), on(100, 750, 90)), [12, 12], 'waiting takes no CPU time');
  assert.deepEqual(latenciesOf(on(100, 1500, 12), on(202, 750, 312)), [12, 312]);
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

test('a file on one side only has its position there, unless that varies: then each load keeps its own', () => {
  const tag = `${pageUrl}tag.js`;
  const tagged = (place: (at: number) => FilePlace) =>
    Array.from({ length: 5 }, (_, at) => buildFacts({ 'tag.js': { place: place(at) } }));
  const constant = tagged(() => 'first');
  assert.deepEqual(placesOf(always('largest'), constant, tag), [[undefined], ['first']]);
  const varying = tagged(at => (at < 3 ? 'first' : 'after'));
  assert.deepEqual(placesOf(always('largest'), varying, tag), [[undefined], [undefined]]);
});

test('a script renamed by its hash gets the same share on both sides, under its own name', () => {
  const named = (name: string, ...all: readonly FilePlace[]) => all.map(place => buildFacts({ [name]: { place } }));
  const { before, after } = toSharedConditions({
    before: named('app.11112222.js', 'after', 'after', 'largest', 'after', 'after'),
    after: named('app.33334444.js', 'largest', 'largest', 'largest', 'after', 'largest'),
  });
  const of = (side: typeof before, name: string) => side.scenarios.map(places => places[pageUrl + name]?.place);
  assert.deepEqual(of(before, 'app.11112222.js'), of(after, 'app.33334444.js'));
  assert.deepEqual(of(before, 'app.33334444.js'), [undefined, undefined, undefined, undefined]);
});

const withSpeedIndex = (ms: readonly (number | null)[], documentBytes = 20_000) =>
  ms.map(observedSpeedIndex => buildFacts({ '': { resourceBytes: documentBytes } }, { observedSpeedIndex }));
const speedIndicesOf = (before: readonly LoadFacts[], after: readonly LoadFacts[]) => {
  const shared = toSharedConditions({ before, after });
  return [shared.before.speedIndexMs, shared.after.speedIndexMs];
};

test('the observed speed index is shared, unless it clearly differs and so does a file', () => {
  const [early, late] = [
    [400, 410, 420, 430, 440],
    [800, 810, 820, 830, 840],
  ] as const;
  assert.deepEqual(speedIndicesOf(withSpeedIndex(early), withSpeedIndex(late)), [440, 440]);
  assert.deepEqual(speedIndicesOf(withSpeedIndex(early), withSpeedIndex(late, 20_010)), [420, 820]);
  const mixed = [800, 410, 820, 430, 840];
  assert.deepEqual(speedIndicesOf(withSpeedIndex(early), withSpeedIndex(mixed, 20_010)), [430, 430]);
  assert.deepEqual(speedIndicesOf(withSpeedIndex(early), withSpeedIndex([null, ...late.slice(1)])), [null, null]);
});

test('a side with a slower processor gets no later speed index for it', () => {
  const on = (cpuMs: number, benchmarkIndex: number, observedSpeedIndex: number) =>
    [0, 1, 2, 3, 4].map(at =>
      buildFacts(
        { 'app.js': { type: 'Script', cpuMs: cpuMs + at }, '': { resourceBytes: cpuMs + 20_000 } },
        {
          benchmarkIndex,
          observedSpeedIndex: observedSpeedIndex + at,
          otherCpuMs: cpuMs / 2,
        },
      ),
    );
  const [before, after] = speedIndicesOf(on(100, 1500, 400), on(202, 750, 800));
  assert.equal(before, after);
});

test('equal loads need only one scenario', () => {
  assert.deepEqual(placesOf(always('largest'), always('largest')), [['largest'], ['largest']]);
});
