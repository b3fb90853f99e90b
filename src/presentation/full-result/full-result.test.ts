/** What is read out of a whole Lighthouse result, and what it may lack. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholeResult } from '../../../test/web/sample-answers.ts';
import { toLcp } from './lcp.ts';
import { toScriptTimes, toThirdParties } from './main-thread.ts';
import { toElementPicture, toFinalScreenshot } from './pictures.ts';
import type { Whole } from './read.ts';
import { filterRequests, lastEnd, type RequestFilter, toRequests, toTotal, typesOf } from './requests.ts';

const whole: Whole = wholeResult;
const withItems = (id: string, items: unknown): Whole => ({ audits: { [id]: { details: { items } } } });

test('requests are in order of their start, with what distinguishes them', () => {
  const rows = toRequests(whole);
  assert.deepEqual(
    rows.map(({ number }) => number),
    rows.map((_, at) => at + 1),
  );
  const [document, style] = rows;
  assert.deepEqual(
    [document?.name, document?.host, document?.type, document?.priority, document?.entity, document?.isBlocking],
    ['timetable?season=winter&berth=4', 'www.harbour.example', 'document', 'highest', undefined, false],
  );
  assert.equal(style?.isBlocking, true);
  assert.equal(rows.find(({ name }) => name === 'tides.js')?.entity, 'Tide Tables Inc.');
  assert.equal(rows.find(({ name }) => name === 'favicon.ico')?.isCached, true);
  assert.equal(lastEnd(rows), 2340);
  assert.deepEqual(typesOf(rows), ['document', 'style', 'script', 'font', 'image', 'data', 'other']);
});

test('requests are filtered by type, and by a word in the URL or the third party', () => {
  const rows = toRequests(whole);
  const names = (filter: Partial<RequestFilter>) =>
    filterRequests(rows, { type: 'all', search: '', ...filter }).map(({ name }) => name);
  assert.deepEqual(names({ type: 'style' }), ['harbour.css']);
  assert.deepEqual(names({ search: ' TIDE tables ' }), ['tides.js']);
  assert.deepEqual(names({ type: 'image', search: 'ads' }), ['pixel.gif']);
  assert.deepEqual(names({ search: 'nowhere' }), []);
  assert.deepEqual(toTotal(filterRequests(rows, { type: 'font', search: '' })), { count: 1, bytes: 38_400 });
});

test('a data URL and a long path have short names', () => {
  const items = [
    { url: `data:image/png;base64,${'A'.repeat(500)}` },
    { url: `https://example.com/${'x'.repeat(500)}` },
  ];
  for (const { name } of toRequests(withItems('network-requests', items))) assert.ok(name.length <= 60, name);
});

test('the largest paint has its element, its picture and its phases', () => {
  const lcp = toLcp(whole);
  assert.equal(lcp?.label, 'The outer light at night');
  assert.deepEqual(
    lcp?.phases.map(({ phase, share }) => [phase, Math.round(share * 100)]),
    [
      ['first_byte', 8],
      ['load_delay', 18],
      ['load_duration', 70],
      ['render_delay', 4],
    ],
  );
  assert.deepEqual([lcp?.picture?.elementWidth, lcp?.picture?.top], [412, 96]);
});

test('an older Lighthouse names the element in a table', () => {
  const node = { type: 'node', snippet: '<h1>Tides</h1>', selector: 'h1' };
  const table = { type: 'table', items: [{ node }] };
  assert.equal(toLcp(withItems('largest-contentful-paint-element', [table]))?.snippet, '<h1>Tides</h1>');
});

test('an element outside the screenshot has no picture', () => {
  const { screenshot } = wholeResult.fullPageScreenshot;
  const at = (node: object) => toElementPicture({ fullPageScreenshot: { screenshot, nodes: { a: node } } }, 'a');
  assert.equal(at({ left: 500, top: 0, width: 10, height: 10 }), undefined);
  assert.equal(at({ left: 0, top: 0, width: 0, height: 10 }), undefined);
  assert.equal(at({ left: 400, top: 0, width: 100, height: 10 })?.elementWidth, 12);
  assert.equal(toElementPicture(whole, 'constructor'), undefined);
});

test('only embedded pictures count as pictures', () => {
  const shown = (data: unknown) => toFinalScreenshot({ audits: { 'final-screenshot': { details: { data } } } });
  assert.ok(shown('data:image/jpeg;base64,AAAA'));
  for (const data of ['https://elsewhere.example/x.png', 'data:image/svg+xml;base64,AAAA', 'javascript:1', 5, null])
    assert.equal(shown(data), undefined);
});

test('scripts and third parties are listed with the most expensive first', () => {
  assert.deepEqual(
    toScriptTimes(whole).map(({ totalMs, entity }) => [totalMs, entity]),
    [
      [1410, undefined],
      [322, 'Tide Tables Inc.'],
    ],
  );
  assert.deepEqual(
    toThirdParties(whole).map(({ name, urls }) => [name, urls.length]),
    [
      ['Tide Tables Inc.', 1],
      ['Lighthouse Ads', 2],
    ],
  );
  const older = withItems('third-party-summary', [{ entity: { type: 'link', text: 'Ads' }, transferSize: 5 }]);
  assert.deepEqual(toThirdParties(older), [{ name: 'Ads', bytes: 5, mainThreadMs: undefined, urls: [] }]);
});

test('a result with missing or unknown parts is read without an error', () => {
  const odd: readonly unknown[] = [
    {},
    { audits: {} },
    { audits: null },
    { audits: { 'network-requests': {}, 'bootup-time': { details: 3 }, 'lcp-breakdown-insight': { details: [] } } },
    { entities: 'none', fullPageScreenshot: { screenshot: null, nodes: [] }, audits: {} },
    ...['x', null, 7, [null, 3, 'y'], {}, [{ url: 5 }, { entity: 3 }, { items: [null] }]].map(items => ({
      entities: items,
      fullPageScreenshot: items,
      audits: Object.fromEntries(
        ['network-requests', 'bootup-time', 'third-parties-insight', 'lcp-breakdown-insight', 'final-screenshot'].map(
          id => [id, { details: { items, data: items } }],
        ),
      ),
    })),
  ];
  for (const value of odd) {
    const read = value as Whole;
    assert.deepEqual([toRequests(read), toScriptTimes(read), toThirdParties(read)], [[], [], []]);
    assert.deepEqual([toLcp(read), toFinalScreenshot(read), toElementPicture(read, 'a')], Array(3).fill(undefined));
  }
});
