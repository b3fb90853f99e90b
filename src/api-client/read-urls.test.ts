import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPageUrl } from '../measure/targets/page-url.ts';
import { hasSpace, readUrls, sayHasSpace, withScheme } from './read-urls.ts';

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
  ['wiki//page.html', 'http://wiki//page.html'],
  ['help//shop.example/', 'http://help//shop.example/'],
  ['192.168.1.2:80', 'http://192.168.1.2:80'],
  ['http-server:8080', 'http://http-server:8080'],
  ['http.cat', 'https://http.cat'],
  ['data.example:80', 'https://data.example:80'],
];

for (const [typed, url] of cases) test(`${typed} is ${url}`, () => assert.equal(withScheme(typed), url));

test('a scheme is preserved, even one that the service will reject', () => {
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

test('a mistyped scheme is not replaced but rejected with the correct form', () => {
  for (const text of [
    'https//a.example',
    'HTTP//a.example',
    'https/a.example',
    'https\\\\a.example',
    'https;//a.example',
    'http.//a.example',
    'htps//a.example',
    'ttps//a.example',
    'hptt//a.example',
    'hytps//a.example',
    'httpd//a.example',
    'ftp//a.example',
  ]) {
    assert.equal(withScheme(text), text);
    const page = toPageUrl(withScheme(text));
    assert.match('fault' in page ? page.fault.reason : '', /write 'https:\/\/a\.example' with its scheme/, text);
  }
  for (const text of ['javascript:1', 'tel:123', 'https:80']) assert.ok('fault' in toPageUrl(withScheme(text)), text);
});

test('a password before the host is passed to the service, which rejects it', () => {
  assert.equal(withScheme('user:secret@example.com'), 'user:secret@example.com');
});

test('new lines and commas separate URLs, and each URL is read once, in order', () => {
  assert.deepEqual(readUrls('  b.example\r\na.example\n\n\tb.example, c.example,\nd.example,localhost:3000,'), [
    'https://b.example',
    'https://a.example',
    'https://c.example',
    'https://d.example',
    'http://localhost:3000',
  ]);
  assert.deepEqual(readUrls('https://a.example/x,http://b.example/?y=1,2,https://c.example'), [
    'https://a.example/x',
    'http://b.example/?y=1,2',
    'https://c.example',
  ]);
});

test('a comma before a host separates URLs with a path', () => {
  assert.deepEqual(readUrls('127.0.0.1:4000/a,127.0.0.1:4000/b,127.0.0.1:4000,127.0.0.1:4000?c'), [
    'http://127.0.0.1:4000/a',
    'http://127.0.0.1:4000/b',
    'http://127.0.0.1:4000',
    'http://127.0.0.1:4000?c',
  ]);
  assert.deepEqual(readUrls('localhost/x,y,localhost/z'), ['http://localhost/x,y', 'http://localhost/z']);
  assert.deepEqual(readUrls('a.example/x,b.example/y,z,c.d.example:8080/'), [
    'https://a.example/x',
    'https://b.example/y,z',
    'https://c.d.example:8080/',
  ]);
  assert.deepEqual(readUrls('https://a.example/x,a.example/y'), ['https://a.example/x', 'https://a.example/y']);
});

test('a comma inside a URL is part of it', () => {
  for (const path of ['/x,y', '/1,234.html', '?x=1,2#3,4', '/a.js,b.js', '/x,2.5/y', '/x?from=1,a.example/y'])
    assert.deepEqual(readUrls(`https://a.example${path}`), [`https://a.example${path}`]);
  for (const entry of ['a.example/a.js,b.js', 'a.example/1,2.5/x', 'a.example/?u=b.example/x,c.example/y'])
    assert.deepEqual(readUrls(entry), [`https://${entry}`]);
  assert.deepEqual(readUrls('https://a.example/x,b.example/y'), ['https://a.example/x,b.example/y']);
});

test('words are one invalid entry, unchanged', () => {
  for (const words of ['not a url at all', 'a.example b.example', 'a.example\tb.example', 'https://a.example/b c']) {
    assert.deepEqual(readUrls(` ${words}\n`), [words]);
    assert.ok(hasSpace(words));
    assert.ok('fault' in toPageUrl(words));
  }
  assert.match(
    sayHasSpace('not a url at all'),
    /^'not a url at all' is not the URL of a page: it contains a space\. Write each .* commas.* %20$/,
  );
  assert.ok(sayHasSpace('x y'.repeat(1000)).length < 400);
});

test('a very long list is read', () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `host${index}.example`);
  assert.equal(readUrls(names.join(',')).length, names.length);
  assert.equal(readUrls(names.join('\n')).length, names.length);
});

test('empty text has no entries', () => assert.deepEqual(readUrls(' \n\t'), []));
