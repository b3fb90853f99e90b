import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRules } from './robots.ts';

const disallows = (lines: readonly string[], path: string) =>
  readRules(lines.join('\n'))(new URL(path, 'https://site.com').href);

test('the longest rule decides, Allow before Disallow, with wildcards and escapes', () => {
  const lines = [
    'User-agent: *',
    'Disallow: /cart',
    'Allow: /cart/help',
    'Disallow: /*.pdf$ # files',
    'Disallow: /a%5fb/ü',
  ];
  const refused = ['/cart', '/cart/1?x=2', '/x/y.pdf', '/a%5fb/ü', '/a%5Fb/%C3%BC/x'];
  const allowed = ['/', '/car', '/cart/help/1', '/y.pdf?a', '/x/y.pdfs'];
  for (const path of refused) assert.equal(disallows(lines, path), true, path);
  for (const path of allowed) assert.equal(disallows(lines, path), false, path);
  assert.equal(disallows(['User-agent: *', 'Disallow: /x', 'Allow: /x'], '/x'), false);
  assert.equal(disallows(['User-agent: *', 'Disallow:'], '/x'), false);
});

test('escapes of unreserved characters mean the same, others do not, and no escape makes a rule longer', () => {
  const unreserved = 'AMZamz059-._~';
  const escaped = [...unreserved].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('');
  assert.equal(disallows(['User-agent: *', `Disallow: /${escaped}/`], `/${unreserved}/`), true);
  assert.equal(disallows(['User-agent: *', `Disallow: /${unreserved}/`], `/${escaped.toUpperCase()}/`), true);
  for (const other of '/@:*') {
    const rule = `Disallow: /a%${other.charCodeAt(0).toString(16)}`;
    assert.equal(disallows(['User-agent: *', rule], `/a${other}`), false, other);
  }
  assert.equal(disallows(['User-agent: *', 'Allow: /%6a%6f', 'Disallow: /joe'], '/joe'), true);
  assert.equal(disallows(['User-agent: *', 'Allow: /%C3%BC', 'Disallow: /ü/a'], '/ü/a'), true);
});

test('the groups of this crawler replace those of all, and other agents do not count', () => {
  const lines = [
    ...['User-agent: a', 'User-agent: Rangelight/2', 'Sitemap: /s.xml', 'Disallow: /own', 'user-agent: other'],
    ...['disallow: /', 'User-agent: *', 'Disallow: /all', 'User-agent: rangelight', 'Disallow: /second'],
  ];
  for (const path of ['/own', '/second']) assert.equal(disallows(lines, path), true, path);
  for (const path of ['/all', '/x']) assert.equal(disallows(lines, path), false, path);
});

test('rules that a backtracking or quadratic comparison would not end are compared', () => {
  const rules = Array.from({ length: 5_000 }, (_, at) => `Disallow: /${'*a'.repeat(20)}b${at}`);
  const isDisallowed = readRules(['User-agent: *', ...rules].join('\n'));
  for (let at = 0; at < 4; at += 1) assert.equal(isDisallowed(`https://site.com/${'a'.repeat(1_900)}${at}`), false);
});
