import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPage, finding } from '../../../test/support/builders/known-causes.ts';
import type { Cost } from '../../contract/stored/what-if-order.ts';
import { titleOfCost, toFindings } from './findings.ts';

const cost = (id: string, points: number, blockingMs = 0): Cost => ({
  id,
  points,
  saved: {
    first_contentful_paint: 0,
    largest_contentful_paint: 0,
    total_blocking_time: blockingMs,
    speed_index: 0,
  },
  files: id.includes(':') ? [id.slice(id.indexOf(':') + 1)] : [],
  bytes: 0,
  mainThreadMs: blockingMs,
});
const rank = (page: Parameters<typeof buildPage>[0], costs?: readonly Cost[]) =>
  toFindings(buildPage(page), ['performance'], { scores: { performance: 60 }, costs }).findings;

const extra = 'script:https://example.com/extra.js';

test('the costliest fix of the simulation is first, be it a script or an audit', () => {
  const page = { TBT: 880, LCP: 3000, found: [finding('image-delivery-insight', { LCP: 400 })] };
  const idsOf = (points: number) =>
    rank(page, [cost('image-delivery-insight', 13), cost(extra, points, 810)])
      .slice(0, 2)
      .map(({ id, points: own }) => [id, own]);
  assert.deepEqual(idsOf(20), [
    [extra, 20],
    ['image-delivery-insight', 13],
  ]);
  assert.deepEqual(idsOf(5)[0], ['image-delivery-insight', 13]);
  const [first] = rank(page, [cost(extra, 20, 810)]);
  assert.equal(first?.title, 'extra.js blocks the main thread');
  assert.deepEqual(first?.savings, { total_blocking_time: 810 });
});

test('a fix that moves work behind the first paint says what blocking it adds', () => {
  const page = { TBT: 0, LCP: 3000, found: [finding('render-blocking-insight', { LCP: 400 })] };
  const savingsWith = (blockingMs: number) => rank(page, [cost('render-blocking-insight', 2, blockingMs)])[0]?.savings;
  assert.deepEqual(savingsWith(-900), { largest_contentful_paint: 400, total_blocking_time: -900 });
  assert.deepEqual(savingsWith(-40), { largest_contentful_paint: 400 }, 'too little to say');
});

test('a script that costs less than half a point is no finding, and audits of the main thread are not repeated', () => {
  const found = rank({ TBT: 400, found: [finding('bootup-time', { TBT: 300 })] }, [
    cost(extra, 0.3),
    cost('main-thread', 4, 200),
  ]);
  assert.equal(found[0]?.id, 'main-thread');
  const ids = found.map(({ id }) => id);
  assert.ok(!ids.includes(extra) && !ids.includes('bootup-time') && !ids.includes('mainthread-work-breakdown'));
});

test('without a simulation, a script costs its share of the long tasks', () => {
  const url = 'https://example.com/slow.js';
  const table = (items: readonly object[]) => ({ details: { type: 'table', headings: [], items } });
  const [first] = rank({
    TBT: 900,
    found: [
      finding('bootup-time', { TBT: 700 }, table([{ url, scripting: 700, total: 720 }])),
      finding(
        'long-tasks',
        {},
        {
          score: null,
          scoreDisplayMode: 'informative',
          ...table([
            { url, duration: 850 },
            { url: 'Unattributable', duration: 150 },
          ]),
        },
      ),
    ],
  });
  assert.equal(first?.id, `script:${url}`);
  assert.equal(first?.is_simulated, false);
  assert.equal(first?.savings.total_blocking_time, 800);
});

test('the title of a script says which value it delays', () => {
  const titleOf = (first_contentful_paint: number, total_blocking_time: number) =>
    titleOfCost('script:https://example.com/app.js', undefined, { first_contentful_paint, total_blocking_time });
  assert.equal(titleOf(200, 80), 'app.js blocks the main thread');
  assert.equal(titleOf(200, 0), 'app.js blocks the first paint');
  assert.equal(titleOf(0, 0), 'app.js delays the page');
});
