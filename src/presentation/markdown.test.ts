import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readMarkdown, toPlainText } from './markdown.ts';

test('links and code are distinguished from text', () => {
  assert.deepEqual(readMarkdown('Set `lang` on `<html>`. [Learn more](https://example.com/a_(b)?c#d).'), [
    { kind: 'text', text: 'Set ' },
    { kind: 'code', text: 'lang' },
    { kind: 'text', text: ' on ' },
    { kind: 'code', text: '<html>' },
    { kind: 'text', text: '. ' },
    { kind: 'link', text: 'Learn more', href: 'https://example.com/a_(b)?c#d' },
    { kind: 'text', text: '.' },
  ]);
});

test('code within the text of a link is text', () => {
  assert.deepEqual(readMarkdown('[`alt` texts](https://example.com/)'), [
    { kind: 'link', text: 'alt texts', href: 'https://example.com/' },
  ]);
});

test('only web URLs are links', () => {
  for (const target of [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '/relative',
    'file:///etc/passwd',
    ' https',
  ])
    assert.ok(
      readMarkdown(`[press](${target})`).every(({ kind }) => kind === 'text'),
      target,
    );
});

test('markup remains text', () => {
  assert.deepEqual(readMarkdown('<img src=x onerror=alert(1)>'), [
    { kind: 'text', text: '<img src=x onerror=alert(1)>' },
  ]);
});

test('text without links or code is unchanged', () => {
  for (const text of ['a [b] c', 'a (b) c', '[a] (https://example.com)', 'one ` alone', '[](https://example.com)', ''])
    assert.equal(toPlainText(text), text);
});

test('any text is parsed completely and in order', () => {
  const mark = fc.constantFrom('`', '[', ']', '(', ')', 'https://a.b', ' ', 'x');
  fc.assert(
    fc.property(
      fc.array(mark).map(parts => parts.join('')),
      text => {
        const letters = (of: string) => of.replaceAll(/[`[\]()\s]/g, '').replaceAll('https://a.b', '');
        assert.equal(letters(toPlainText(text)), letters(text));
      },
    ),
  );
});
