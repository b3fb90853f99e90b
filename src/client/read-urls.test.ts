import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPageUrl } from '../targets/page-url.ts';
import { readUrls, withScheme } from './read-urls.ts';

const cases: readonly [string, string][] = [
  ['example.com', 'https://example.com'],
  ['example.com/path?x=1#y', 'https://example.com/path?x=1#y'],
  ['example.com/?to=http://other.example/', 'https://example.com/?to=http://other.example/'],
  ['//example.com/', 'https://example.com/'],
  ['bücher.example', 'https://bücher.example'],
  ['example.com:8080/x', 'https://example.com:8080/x'],
  ['localhost', 'http://localhost'],
  ['localhost:3000', 'http://localhost:3000'],
  ['localhost:3000/a?b', 'http://localhost:3000/a?b'],
  ['app.localhost:3000', 'http://app.localhost:3000'],
  ['printer.local', 'http://printer.local'],
  ['127.0.0.1:3000/', 'http://127.0.0.1:3000/'],
  ['[::1]:3000/', 'http://[::1]:3000/'],
  ['intranet/wiki', 'http://intranet/wiki'],
  ['intranet//wiki', 'http://intranet//wiki'],
  ['localhost//index.html', 'http://localhost//index.html'],
  ['192.168.1.2:80', 'http://192.168.1.2:80'],
  ['http-server:8080', 'http://http-server:8080'],
  ['http.cat', 'https://http.cat'],
  ['data.example:80', 'https://data.example:80'],
];

for (const [typed, url] of cases) test(`${typed} is ${url}`, () => assert.equal(withScheme(typed), url));

test('what has a scheme keeps it, also one the service will refuse', () => {
  for (const text of [
    'http://example.com',
    'HTTPS://EXAMPLE.COM',
    'ftp://example.com/',
    'mailto:a@example.com',
    'javascript:alert(1)',
    'javascript:1',
    'tel:123',
    'TEL:123/',
    'data:1',
    'https:80',
  ])
    assert.equal(withScheme(text), text);
});

test('what was to be a scheme is given no other one: it is refused with the way to write it', () => {
  for (const text of [
    'https//a.example',
    'HTTP//a.example',
    'https/a.example',
    'https\\\\a.example',
    'https;//a.example',
    'http.//a.example',
    'htps//a.example',
    'ftp//a.example',
  ]) {
    assert.equal(withScheme(text), text);
    const page = toPageUrl(withScheme(text));
    assert.match('fault' in page ? page.fault.reason : '', /write 'https:\/\/a\.example' with its scheme/, text);
  }
  for (const text of ['javascript:1', 'tel:123', 'https:80']) assert.ok('fault' in toPageUrl(withScheme(text)), text);
});

test('a password before the host is left to the service, which refuses it in words', () => {
  assert.equal(withScheme('user:secret@example.com'), 'user:secret@example.com');
});

test('a list is read whatever stands between, each address once and in order', () => {
  assert.deepEqual(readUrls('  b.example\r\na.example\n\n\tb.example a.example/x,y '), [
    'https://b.example',
    'https://a.example',
    'https://a.example/x,y',
  ]);
});

test('nothing is nothing', () => assert.deepEqual(readUrls(' \n\t'), []));
