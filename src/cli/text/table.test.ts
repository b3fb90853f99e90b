import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPaint } from './paint.ts';
import { toTable } from './table.ts';

test('columns are as wide as their letters are on a terminal, colours count nothing', () => {
  const red = createPaint(true)('red', 'ab');
  assert.deepEqual(
    toTable(
      ['name', 'x'],
      [
        ['日本語', '1'],
        [red, '2'],
      ],
    ).split('\n'),
    ['  name    x', '  ──────  ─', '  日本語  1', `  ${red}      2`, ''],
  );
});

test('the last cell of a short row runs on and makes no column wider', () => {
  const lines = toTable(
    ['a', 'b', 'c'],
    [
      ['1', 'a sentence that is long'],
      ['1', '2', '3'],
    ],
  ).split('\n');
  assert.equal(lines[1], '  ─  ─  ─');
  assert.equal(lines[2], '  1  a sentence that is long');
});
