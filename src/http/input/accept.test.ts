import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { acceptsCoding, prefersJson } from './accept.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

const JSON_WINS = [
  'application/json',
  'APPLICATION/JSON',
  ' application/json ; charset=utf-8',
  'application/json, text/plain, */*;q=0.5',
  'application/problem+json',
  'application/problem+json, text/html;q=0.9',
  'application/*',
  'application/*, text/*;q=0.5',
  'text/html;q=0.5, application/json;q=0.6',
  'text/html;q=0.5, application/json',
  'text/html;q=0, */*',
  'text/html;q=0.4, */*;q=0.5',
  'text/*;q=0.1, text/html;q=0, application/json;q=0.001',
  'application/json;q=1.000, text/html;q=0.999',
  'application/json;Q=1, text/html;Q=0.2',
  'application/json;q=0, application/problem+json;q=0.5',
  'application/json;note="a, text/html;q=1"',
  'application/json;note="\\", text/html"',
  'application/json;q=0.1;ext=q, image/png',
];

const HTML_WINS = [
  undefined,
  '',
  '*/*',
  BROWSER,
  'text/html',
  'text/html, application/json',
  'application/json, text/html',
  'application/json;q=0.5, text/html;q=0.5',
  'text/*, application/*',
  'text/*, application/json;q=0.9',
  'application/json, */*',
  'application/json;q=0.5, */*;q=0.8',
  'application/json;q=0, */*;q=0.1',
  'application/json;q=0',
  'application/*;q=0.9, application/json;q=0.1, text/html;q=0.2',
  'image/png',
  'text/plain',
  'application/ld+json',
  'application/jsonx',
  'text/html;note="application/json", application/json;q=0.9',
];

const MALFORMED = [
  ',',
  ';',
  ';;q=,,',
  'json',
  '/',
  'application/',
  'application/json;q=abc',
  'application/json;q=',
  'application/json;q=1.5',
  'application/json;q=-1',
  'application/json;q="1"',
  'application/json;q=1e0',
  'application/json;q=Infinity',
  'application / json',
  '"application/json',
  '\u0000\u{1f600}',
];

test('JSON is used if the header prefers it', () => {
  for (const accept of JSON_WINS) assert.equal(prefersJson(accept), true, accept);
});

test('HTML is used for ties, and if the header names neither', () => {
  for (const accept of HTML_WINS) assert.equal(prefersJson(accept), false, accept);
});

test('a malformed element is skipped', () => {
  for (const accept of MALFORMED) {
    assert.equal(prefersJson(accept), false, accept);
    assert.equal(prefersJson(`application/json,${accept}`), true, accept);
  }
});

test('no header throws', () => {
  const part = fc.constantFrom('text/html', 'application/json', '*/*', ';', ',', 'q=', '0.5', '"', '\\', ' ', '=');
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(part).map(parts => parts.join('')),
  );
  fc.assert(
    fc.property(
      header,
      text => typeof prefersJson(text) === 'boolean' && typeof acceptsCoding(text, 'gzip') === 'boolean',
    ),
    { seed: 20_261_121, numRuns: 2000 },
  );
});

test('a long header is parsed in linear time', { timeout: 5000 }, () => {
  assert.equal(prefersJson('\\"'.repeat(100_000)), false);
  assert.equal(prefersJson(`${'"'.repeat(99_999)},application/json`), false);
  assert.equal(prefersJson(`${'text/html;q=0.1,'.repeat(20_000)}application/json`), true);
});

test('an encoding is used if the header lists it and does not forbid it', () => {
  for (const header of [
    'gzip',
    'GZIP',
    'br, gzip;q=0.001',
    ' deflate , gzip ; q=1.000',
    'gzip;q=0.5, *;q=0',
    'gzip;q=0, gzip',
  ])
    assert.equal(acceptsCoding(header, 'gzip'), true, header);
  for (const header of [
    undefined,
    '',
    '*',
    'identity',
    'x-gzip',
    'gzipped',
    'gzip;q=0',
    'gzip; q=0.000',
    '*;q=1, gzip;q=0',
  ])
    assert.equal(acceptsCoding(header, 'gzip'), false, header);
});

test('an encoding with an invalid weight is not used', () => {
  for (const weight of ['', 'abc', '2', '-1', '1e0', '"1"', 'Infinity'])
    assert.equal(acceptsCoding(`br, gzip;q=${weight}`, 'gzip'), false, weight);
});
