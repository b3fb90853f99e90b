import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cutTo, indentText, shortenUrl, widthOf, wrapText } from './width.ts';

test('columns are counted, not characters: wide letters, emoji of several parts, combining marks, colors', () => {
  for (const [text, columns] of [
    ['abc', 3],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['ﾊﾟ', 2],
    ['\u001b[31mred\u001b[39m', 3],
    ['\u001b]8;;https://example.com/\u001b\\link\u001b]8;;\u001b\\', 4],
    ['a\u00a0b', 3],
  ] as const)
    assert.equal(widthOf(text), columns, JSON.stringify(text));
});

test('shortened text is marked, and no character is split', () => {
  assert.equal(cutTo('abcdef', 4), 'abc…');
  assert.equal(cutTo('abcd', 4), 'abcd');
  assert.equal(cutTo('長長長', 4), '長…');
  assert.equal(cutTo('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5), '👩‍👩‍👧👩‍👩‍👧…');
  assert.equal(cutTo('e\u0301e\u0301e\u0301', 2), 'e\u0301…');
  assert.equal(cutTo('abc', 0), '');
});

test('a URL loses its scheme, then its middle; its host and its end stay', () => {
  const url = 'https://example.com/assets/2026/scripts/main.4f7a91.js';
  assert.equal(shortenUrl(url, 60), url);
  assert.equal(shortenUrl(url, 50), 'example.com/assets/2026/scripts/main.4f7a91.js');
  assert.equal(shortenUrl(url, 40), 'example.com/…2026/scripts/main.4f7a91.js');
  assert.equal(shortenUrl(url, 21), 'example.com/…f7a91.js');
  assert.equal(shortenUrl(url, 20), 'example.c….4f7a91.js');
  assert.equal(shortenUrl(url, 10), 'example.c…');
  assert.equal(shortenUrl('http://例え.jp/日本語/日本語/日本語', 25), '例え.jp/…語/日本語/日本語');
});

test('words wrap whole, even those that do not fit', () => {
  assert.deepEqual(wrapText('one two three', 7), ['one two', 'three']);
  assert.deepEqual(wrapText('a https://example.com/long b', 6), ['a', 'https://example.com/long', 'b']);
  assert.deepEqual(wrapText('as it is', Number.POSITIVE_INFINITY), ['as it is']);
  assert.equal(indentText('one two three', 9, '- ', '  '), '- one two\n  three');
});

const text = fc.string({ unit: 'grapheme', maxLength: 80 }).filter(given => !/\p{Cc}/u.test(given));

test('shortened text never exceeds its width, whatever it contains', () => {
  fc.assert(
    fc.property(
      text,
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.integer({ min: 1, max: 120 }),
      (given, url, columns) => {
        for (const shorten of [cutTo, shortenUrl])
          for (const long of [given, url, `https://${given}/${given}`])
            assert.ok(widthOf(shorten(long, columns)) <= columns, JSON.stringify([long, columns]));
      },
    ),
  );
});
