import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDebugRecords, renderDebugRecord } from './debug-records.ts';

const REQUEST = { method: 'GET', url: 'http://host/missing' };

test('a token opens the record of its exception', () => {
  const records = createDebugRecords({ max: 5, now: () => new Date('2026-11-21T10:00:00Z') });
  const token = records.add(new TypeError('no'), REQUEST);
  const record = records.get(token);
  assert.match(token, /^[\da-f]{6}$/);
  assert.ok(record);
  assert.equal(record.token, token);
  assert.equal(record.exception.className, 'TypeError');
  assert.equal(record.exception.file, 'src/http/error-pages/debug-records.test.ts');
  assert.equal(record.url, REQUEST.url);
  assert.equal(records.get('ffffff0'), undefined);
  assert.equal(records.get('__proto__'), undefined);
});

test('the oldest record is dropped', () => {
  const records = createDebugRecords({ max: 3 });
  const tokens = Array.from({ length: 5 }, (_, index) => records.add(new Error(String(index)), REQUEST));
  const kept = tokens.map(token => records.get(token)?.exception.message);
  assert.deepEqual(kept, [undefined, undefined, '2', '3', '4']);
});

test('a new token never equals a stored one', () => {
  const drawn = ['aaaaaa', 'aaaaaa', 'bbbbbb', 'bbbbbb', 'aaaaaa', 'cccccc', 'aaaaaa'];
  const records = createDebugRecords({ max: 2, createToken: () => drawn.shift() ?? '' });
  const tokens = ['1', '2', '3', '4'].map(message => records.add(new Error(message), REQUEST));
  assert.deepEqual(tokens, ['aaaaaa', 'bbbbbb', 'cccccc', 'aaaaaa']);
  assert.equal(records.get('aaaaaa')?.exception.message, '4');
  assert.equal(records.get('bbbbbb'), undefined);
});

test('the page of a record shows its details', () => {
  const records = createDebugRecords({ max: 1, now: () => new Date('2026-11-21T10:00:00Z') });
  const record = records.get(records.add(new RangeError('too far'), REQUEST));
  assert.ok(record);
  const html = renderDebugRecord(record);
  for (const fact of [record.token, '2026-11-21T10:00:00.000Z', 'GET http://host/missing', 'too far', 'RangeError']) {
    assert.ok(html.includes(fact), fact);
  }
  assert.ok(html.includes(`src/http/error-pages/debug-records.test.ts:${record.exception.line}`));
  assert.match(html, /<pre[^>]*>at [^<]+\nat /);
  assert.ok(!html.includes('file://') && !html.includes(process.cwd()));
});

test("all content of a record's page is escaped", () => {
  const hostile = '"><script>alert(1)</script>&\'\r\n\u0000\u202e';
  const error = Object.assign(new Error(hostile), { name: hostile });
  error.stack = `${hostile}: ${hostile}\n    at ${hostile} (/srv/${hostile}:1:1)\n    at <img src=x> (/srv/<b>.ts:2:2)`;
  const records = createDebugRecords({ max: 1 });
  const record = records.get(records.add(error, { method: hostile, url: hostile }));
  assert.ok(record);
  const html = renderDebugRecord(record);
  assert.doesNotMatch(html, /<script|<img|<b>/);
  assert.doesNotMatch(html.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u);
});
