import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPlainBody, toPlainJson, toPlainLine } from './plain-text.ts';

/** Every character that a terminal may execute, and those that change the direction of text. */
const orders = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

test('no control character remains, whatever its context', () => {
  const every = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('');
  assert.doesNotMatch(toPlainLine(every), orders);
  assert.doesNotMatch(toPlainLine([...every].map(character => `${character}[31m`).join('')), orders);
  for (const [hostile, plain] of [
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u009b31mred', 'red'],
    ['\u001b]0;title\u0007words', 'words'],
    ['one\r\ntwo\tthree', 'one two three'],
    ['back\bspace\u007f', 'backspace'],
    ['\u202eevil\u202c', 'evil'],
    ['\u001b', ''],
  ])
    assert.equal(toPlainLine(hostile ?? ''), plain);
});

test('words of any language are preserved', () => {
  for (const text of ['Größe 日本語 עברית 👩‍👩‍👧 – „ok“', 'a b', '']) assert.equal(toPlainLine(text), text);
});

test('every text and name of a body is made plain, and only the Lighthouse result is dropped', () => {
  const body = { 'a\u001b[1m': ['\u0007x', { b: 0, c: null, d: false }], lighthouse_result: { big: true } };
  assert.deepEqual(toPlainBody(body), { a: ['x', { b: 0, c: null, d: false }] });
});

test('JSON is free of control characters and has the same meaning', () => {
  const value = { title: '\u001b[2J\u009b31m\u007f\u0085\u202e\u2066', lines: 'a\nb' };
  const text = toPlainJson(value);
  assert.doesNotMatch(text, orders);
  assert.deepEqual(JSON.parse(text), value);
});
