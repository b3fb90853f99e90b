import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildAudit, buildLhr } from '../../../test/support/builders/lhr.ts';
import { toCustomMetrics } from './custom-metrics.ts';

const mark = (name: unknown, startTime: unknown) => ({ name, startTime, timingType: 'Mark' });
const measure = (name: unknown, duration: unknown) => ({ name, startTime: 5, duration, timingType: 'Measure' });
const read = (items: unknown, numericValue?: number) =>
  toCustomMetrics(
    buildLhr({
      audits: [
        buildAudit('user-timings', { details: { type: 'table', items } }),
        ...(numericValue === undefined ? [] : [buildAudit('mainthread-work-breakdown', { numericValue })]),
      ],
    }),
  );

test('marks have their time, measures their duration, and the main thread its CPU time', () => {
  assert.deepEqual(read([measure('search', 40.26), mark('hero shown', 812.34)], 1234.56), {
    'main-thread': 1234.6,
    'mark:hero shown': 812.3,
    'measure:search': 40.3,
  });
  assert.deepEqual(toCustomMetrics(buildLhr()), {});
});

test('of several with one name the first counts, and a mark and a measure may share a name', () => {
  assert.deepEqual(read([measure('a', 7), mark('a', 1), mark('a', 2)]), { 'mark:a': 1, 'measure:a': 7 });
});

test('names that no assertion could contain, and values that are no times, are skipped', () => {
  const names = [
    '',
    ' ',
    ' a',
    'a ',
    'a"b',
    'a\\b',
    'a<=b',
    'a\nb',
    'a\u202eb',
    '\ud800',
    '\0',
    'x'.repeat(101),
    undefined,
  ];
  // Text of a page that is not a string becomes one, as in the browser itself.
  assert.deepEqual(Object.keys(read(names.map(name => mark(name, 1)))), ['mark:undefined']);
  assert.deepEqual(read([null, 'NaN', Number.NaN, -1, Number.POSITIVE_INFINITY, {}].map(at => mark('a', at))), {});
  for (const items of [undefined, null, 'x', [null, 3, []], {}]) assert.deepEqual(read(items), {});
  assert.deepEqual(read([mark('__proto__', 1), mark('constructor', 2)]), {
    'mark:__proto__': 1,
    'mark:constructor': 2,
  });
});

test('a page that sets thousands of timings costs 25 of each kind', () => {
  const many = (make: typeof mark) => Array.from({ length: 50_000 }, (_, at) => make(`n${at}`, at));
  const names = Object.keys(read([...many(measure), ...many(mark)], 1));
  assert.equal(names.length, 51);
  assert.ok(names.includes('mark:n24') && names.includes('measure:n24'));
});
