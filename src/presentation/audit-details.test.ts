import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResult } from '../../test/web/reports.ts';
import { toDetailTables } from './audit-details.ts';

const tablesOf = (details: unknown) =>
  toDetailTables(buildResult({ lighthouse_result: { audits: { x: { details } } } }), 'x');
const textOf = (details: unknown) =>
  tablesOf(details).map(({ rows }) => rows.map(cells => cells.map(({ text }) => text.replaceAll('\u00a0', ' '))));

const node = {
  type: 'node',
  selector: 'body > img',
  snippet: '<img src="/a.bmp">',
  explanation: 'Fix any of the following:\n  No alt\n  No title',
};

test('a table has its headings, and its cells their units', () => {
  const headings = [
    { key: 'url', valueType: 'url', label: 'URL' },
    { key: 'totalBytes', valueType: 'bytes', label: 'Size' },
    { key: 'wastedMs', valueType: 'timespanMs', label: 'Time' },
    { key: null, label: '' },
  ];
  const items = [{ url: 'https://example.com/a.js', totalBytes: 2_110_000, wastedMs: 541 }, {}];
  const [table] = tablesOf({ type: 'opportunity', headings, items });
  assert.deepEqual(table?.headings, ['URL', 'Size', 'Time']);
  assert.deepEqual(textOf({ type: 'table', headings, items }), [[['https://example.com/a.js', '2.1 MB', '540 ms']]]);
});

test('an element is shown as its markup, with what is wrong with it', () => {
  const [table] = tablesOf({
    type: 'table',
    headings: [{ key: 'node', valueType: 'node', label: 'Elements' }],
    items: [{ node }],
  });
  assert.deepEqual(table?.rows, [[{ kind: 'code', text: '<img src="/a.bmp">', note: 'No alt; No title' }]]);
});

test('a column of elements has a heading, also where Lighthouse gives none', () => {
  const headings = [{ key: 'node', valueType: 'node', label: '' }];
  assert.deepEqual(tablesOf({ type: 'table', headings, items: [{ node }] })[0]?.headings, ['Element']);
});

test('counts lines and columns of a source from one, as editors do', () => {
  const sourceLocation = { type: 'source-location', url: 'https://example.com/', line: 24, column: 0 };
  assert.deepEqual(
    textOf({ type: 'table', headings: [{ key: 's', valueType: 'source-location' }], items: [{ s: sourceLocation }] }),
    [[['https://example.com/:25:1']]],
  );
});

test('lists, sections, checklists and lone elements become tables too', () => {
  const details = {
    type: 'list',
    items: [
      { type: 'checklist', items: { a: { label: 'Discoverable', value: true }, b: { label: 'Hinted', value: false } } },
      node,
      {
        type: 'list-section',
        title: 'Chains',
        value: { type: 'table', headings: [{ key: 'a', label: 'A' }], items: [{ a: 'b' }] },
      },
      { type: 'list-section', title: 'Tree', value: { type: 'network-tree', chains: {} } },
    ],
  };
  assert.deepEqual(textOf(details), [
    [
      ['Discoverable', 'yes'],
      ['Hinted', 'no'],
    ],
    [['<img src="/a.bmp">']],
    [['b']],
  ]);
  assert.equal(tablesOf(details)[2]?.title, 'Chains');
});

test('ten rows are enough, and the rest is counted', () => {
  const items = Array.from({ length: 14 }, (_, index) => ({ a: `${index}` }));
  const [table] = tablesOf({ type: 'table', headings: [{ key: 'a' }], items });
  assert.deepEqual([table?.rows.length, table?.more], [10, 4]);
});

test('a long text is cut', () => {
  const [table] = tablesOf({ type: 'table', headings: [{ key: 'a' }], items: [{ a: 'x'.repeat(5000) }] });
  assert.equal(table?.rows[0]?.[0]?.text.length, 300);
});

test('ignores details of an unknown form', () => {
  for (const details of [
    undefined,
    null,
    'x',
    {},
    { type: 'treemap-data', nodes: [] },
    { type: 'table', headings: 1, items: 2 },
    { type: 'table', headings: [], items: [] },
  ])
    assert.deepEqual(tablesOf(details), []);
  assert.deepEqual(toDetailTables(buildResult(), 'x'), []);
});
