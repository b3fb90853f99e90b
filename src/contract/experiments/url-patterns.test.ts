import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesPattern, toFetchPattern, toFetchUrl } from './url-patterns.ts';

test('a pattern matches a URL that contains its parts in order', () => {
  const url = 'https://ads.example/lib/tag.js?v=1';
  for (const pattern of ['tag.js', '*://ads.example/*', 'https*tag', '.js?v=1', '*', ''])
    assert.ok(matchesPattern(url, pattern), pattern);
  for (const pattern of ['tag*lib', 'tagXjs', 'https://example/*']) assert.ok(!matchesPattern(url, pattern), pattern);
});

test('question marks in a URL pattern are escaped for the browser', () => {
  assert.equal(toFetchPattern('a*.js?v=1'), '*a*.js\\?v=1*');
  assert.equal(toFetchUrl('https://a.example/*?b#c'), 'https://a.example/\\*\\?b');
});
