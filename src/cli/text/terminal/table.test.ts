import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPaint } from './paint.ts';
import { createScreen } from './screen.ts';
import { type Cell, toTable } from './table.ts';
import { widthOf } from './width.ts';

const linesOf = (...given: Parameters<typeof toTable>) => toTable(...given).split('\n');
const url = 'https://example.com/assets/scripts/main.4f7a91.js';

test('columns are as wide as their text on a terminal, without color codes', () => {
  const red = createPaint(true)('red', 'ab');
  assert.deepEqual(
    linesOf(
      ['name', 'x'],
      [
        ['日本語', '1'],
        [red, '2'],
      ],
    ),
    ['  name    x', '  ──────  ─', '  日本語  1', `  ${red}      2`, ''],
  );
});

test('the last cell of a short row may overflow and widens no column', () => {
  const lines = linesOf(
    ['a', 'b', 'c'],
    [
      ['1', 'a sentence that is long'],
      ['1', '2', '3'],
    ],
  );
  assert.equal(lines[1], '  ─  ─  ─');
  assert.equal(lines[2], '  1  a sentence that is long');
});

test('URLs are shortened in the middle, texts at the end, and numbers are right-aligned', () => {
  const row: Cell[] = [
    { kind: 'url', text: url, note: 'CDN' },
    { kind: 'text', text: 'a text that is rather long' },
    { kind: 'number', text: '12 kB' },
  ];
  const small: Cell[] = [
    { kind: 'url', text: '/' },
    { kind: 'text', text: 'b' },
    { kind: 'number', text: '9 B' },
  ];
  assert.deepEqual(linesOf(['URL', '', 'Size'], [row, small], createScreen({ columns: 60 })), [
    '  URL                                                   Size',
    '  ─────────────────────────  ────────────────────────  ─────',
    '  example.com/…in.4f7a91.js  a text that is rather l…  12 kB',
    '  /                          b                           9 B',
    '',
  ]);
});

test('a row that does not fit becomes several lines, each value with its title', () => {
  const row: Cell[] = [{ kind: 'url', text: url }, '● 100', '▲ 12', { kind: 'number', text: '1.2 s' }];
  assert.deepEqual(linesOf(['page', '  Performance', '  Accessibility', 'LCP'], [row], createScreen({ columns: 40 })), [
    '  example.com/…ts/scripts/main.4f7a91.js',
    '    Performance ● 100',
    '    Accessibility ▲ 12   LCP 1.2 s',
    '',
  ]);
});

test('a link covers exactly its text', () => {
  const screen = createScreen({ columns: 40, hasLinks: true });
  const [, , line = ''] = linesOf(
    ['page', 'x'],
    [[{ kind: 'url', text: 'https://a.example/', href: 'https://a.example/' }, '1']],
    screen,
  );
  assert.ok(line.endsWith('\u001b\\https://a.example/\u001b]8;;\u001b\\  1'), JSON.stringify(line));
});

const word = fc.string({ unit: 'grapheme', maxLength: 60 }).filter(text => !/\p{Cc}/u.test(text));
const short = fc.string({ unit: 'grapheme', maxLength: 6 }).filter(text => !/\p{Cc}/u.test(text));
const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.constantFrom('● 100', '▲ 12.5 s', '–', ''),
  short.map((text): Cell => ({ kind: 'number', text })),
  fc.record({ kind: fc.constant('text' as const), text: word, note: word }),
  fc.record({
    kind: fc.constant('url' as const),
    text: fc.oneof(word, fc.webUrl({ withQueryParameters: true })),
    indent: fc.nat(40),
  }),
);
const table = fc.integer({ min: 1, max: 9 }).chain(columns =>
  fc.record({
    head: fc.array(word, { minLength: columns, maxLength: columns }),
    rows: fc.array(fc.array(cell, { minLength: 1, maxLength: columns }), { maxLength: 6 }),
  }),
);

test('no line is wider than the terminal, whatever its content', () => {
  fc.assert(
    fc.property(table, fc.constantFrom(40, 60, 80, 120, 200), fc.boolean(), ({ head, rows }, columns, hasColor) => {
      const screen = createScreen({ columns, hasColor, hasLinks: hasColor });
      for (const line of linesOf(head, rows, screen))
        assert.ok(widthOf(line) <= columns, `${widthOf(line)} of ${columns}: ${JSON.stringify(line)}`);
    }),
    { numRuns: 500 },
  );
});
