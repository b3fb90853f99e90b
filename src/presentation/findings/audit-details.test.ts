import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResult } from '../../../test/web/reports.ts';
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

test('an element is shown as its markup, with its fault', () => {
  const [table] = tablesOf({
    type: 'table',
    headings: [{ key: 'node', valueType: 'node', label: 'Elements' }],
    items: [{ node }],
  });
  assert.deepEqual(table?.rows, [[{ kind: 'code', text: '<img src="/a.bmp">', note: 'No alt; No title' }]]);
});

test('a column of elements has a heading, even if Lighthouse has none', () => {
  const headings = [{ key: 'node', valueType: 'node', label: '' }];
  assert.deepEqual(tablesOf({ type: 'table', headings, items: [{ node }] })[0]?.headings, ['Element']);
});

test('lines and columns of a source are counted from one, as in editors', () => {
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
      { type: 'list-section', title: 'None', value: { type: 'text', value: 'none of them' } },
    ],
  };
  assert.deepEqual(textOf(details), [
    [
      ['Discoverable', 'yes'],
      ['Hinted', 'no'],
    ],
    [['<img src="/a.bmp">']],
    [['b']],
    [['none of them']],
  ]);
  assert.equal(tablesOf(details)[2]?.title, 'Chains');
});

test('tables are complete, except for values that no page has', () => {
  const items = Array.from({ length: 230 }, (_, index) => ({ a: `${index}` }));
  const [table] = tablesOf({ type: 'table', headings: [{ key: 'a' }], items });
  assert.deepEqual([table?.rows.length, table?.more], [200, 30]);
});

test('a dependency tree shows every request below the one that led to it', () => {
  const chains = {
    '1': {
      url: 'https://example.com/',
      navStartToEndTime: 320,
      transferSize: 5000,
      isLongest: true,
      children: {
        '2': { url: 'https://example.com/a.css', navStartToEndTime: 940, transferSize: 21_000, children: {} },
      },
    },
  };
  const value = { type: 'network-tree', chains, longestChain: { duration: 940 } };
  const none = { type: 'list-section', title: 'Preconnected origins', value: { type: 'text', value: 'none' } };
  const [tree, origins] = tablesOf({ type: 'list', items: [{ type: 'list-section', value }, none] });
  assert.deepEqual(
    tree?.rows.map(cells =>
      cells.map(({ text, depth }) => (depth ? `${depth} ${text}` : text.replaceAll('\u00a0', ' '))),
    ),
    [
      ['https://example.com/', '320 ms', '5 kB', 'longest'],
      ['1 https://example.com/a.css', '940 ms', '21 kB', ''],
    ],
  );
  assert.deepEqual([origins?.title, origins?.rows[0]?.[0]?.text], ['Preconnected origins', 'none']);
});

test('an endless tree is cut', () => {
  const root: Record<string, unknown> = { url: 'https://example.com/' };
  root.children = { again: root };
  const [tree] = tablesOf({ type: 'network-tree', chains: { root } });
  assert.equal(tree?.rows.length, 21);
});

test('the parts of a row are shown below it', () => {
  const headings = [
    { key: 'entity', valueType: 'text', label: 'Third party', subItemsHeading: { key: 'url', valueType: 'url' } },
    { key: 'transferSize', valueType: 'bytes', label: 'Size', subItemsHeading: { key: 'transferSize' } },
  ];
  const subItems = { type: 'subitems', items: [{ url: 'https://ads.example/a.js', transferSize: 30_000 }] };
  const items = [{ entity: 'Example Ads', transferSize: 31_000, subItems }];
  assert.deepEqual(textOf({ type: 'table', headings, items }), [
    [
      ['Example Ads', '31 kB'],
      ['https://ads.example/a.js', '30 kB'],
    ],
  ]);
});

test('a third party is named next to its URL', () => {
  const details = {
    type: 'table',
    headings: [{ key: 'url', valueType: 'url' }],
    items: [
      { url: 'https://ads.example/a.js' },
      { url: 'https://example.com/b.js' },
      { url: 'https://cdn.example/c.js' },
    ],
  };
  const entities = [
    { name: 'Example Ads', origins: ['https://ads.example'] },
    { name: 'example.com', isFirstParty: true, origins: ['https://example.com'] },
    { name: 'cdn.example', isUnrecognized: true, origins: ['https://cdn.example'] },
  ];
  const result = buildResult({ lighthouse_result: { audits: { x: { details } }, entities } });
  const [table] = toDetailTables(result, 'x');
  assert.deepEqual(
    table?.rows.map(([cell]) => cell?.note),
    ['Example Ads', undefined, undefined],
  );
});

test('an element within the screenshot is pictured, even if only the audit has its position', () => {
  const fullPageScreenshot = {
    screenshot: { data: 'data:image/webp;base64,AAAA', width: 412, height: 2000 },
    nodes: { '1-IMG': { left: 10, top: 20, width: 100, height: 50 } },
  };
  const boundingRect = { left: 0, top: 900, width: 412, height: 30 };
  const headings = [{ key: 'node', valueType: 'node' }];
  const items = [{ lhId: '1-IMG', boundingRect }, { lhId: 'gone', boundingRect }, { lhId: 'gone' }].map(fields => ({
    node: { ...node, ...fields },
  }));
  const audits = { x: { details: { type: 'table', headings, items } } };
  const [table] = toDetailTables(buildResult({ lighthouse_result: { audits, fullPageScreenshot } }), 'x');
  assert.deepEqual(
    table?.rows.map(([cell]) => [cell?.picture?.left, cell?.picture?.top]),
    [
      [10, 20],
      [0, 900],
      [undefined, undefined],
    ],
  );
});

test('a URL leads to its request, however long it is', () => {
  const long = `https://example.com/${'x'.repeat(500)}`;
  const headings = [{ key: 'a', valueType: 'url' }, { key: 'b' }];
  const b = { type: 'source-location', url: 'https://example.com/b.js', line: 3, column: 0 };
  const [table] = tablesOf({ type: 'table', headings, items: [{ a: long, b }] });
  assert.deepEqual(
    table?.rows[0]?.map(({ address }) => address),
    [long, 'https://example.com/b.js'],
  );
});

test('a column that only nested rows fill is shown', () => {
  const headings = [
    { key: 'url', valueType: 'url', label: 'URL', subItemsHeading: { key: 'location', valueType: 'source-location' } },
    { key: null, valueType: 'code', label: 'Signal', subItemsHeading: { key: 'signal' } },
  ];
  const location = { type: 'source-location', url: 'https://example.com/a.js', line: 0, column: 4 };
  const items = [{ url: 'https://example.com/a.js', subItems: { items: [{ location, signal: 'classes' }] } }];
  assert.deepEqual(textOf({ type: 'table', headings, items }), [
    [
      ['https://example.com/a.js', ''],
      ['https://example.com/a.js:1:5', 'classes'],
    ],
  ]);
});

test('a section shows its subject', () => {
  const value = { type: 'text', value: 'none' };
  const [table] = tablesOf({ type: 'list', items: [{ type: 'list-section', title: 'T', description: 'D', value }] });
  assert.deepEqual([table?.title, table?.explanation], ['T', 'D']);
});

test('the critical requests of an older Lighthouse are a tree, too', () => {
  const request = { url: 'https://example.com/', startTime: 1, endTime: 1.5, transferSize: 900 };
  assert.deepEqual(textOf({ type: 'criticalrequestchain', chains: { a: { request, children: {} } } }), [
    [['https://example.com/', '500 ms', '900 B', '']],
  ]);
});

test('a long text is truncated', () => {
  const [table] = tablesOf({ type: 'table', headings: [{ key: 'a' }], items: [{ a: 'x'.repeat(5000) }] });
  assert.equal(table?.rows[0]?.[0]?.text.length, 300);
});

test('details of an unknown form are ignored', () => {
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
