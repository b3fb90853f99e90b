import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDebugRecords } from './debug-records.ts';
import {
  createNotFound,
  type ErrorPage,
  renderErrorPage,
  toNotFoundMessage,
  type UnroutedRequest,
} from './not-found.ts';

const REQUEST: UnroutedRequest = { method: 'GET', scheme: 'http', host: 'localhost:8000', path: '/robots.txt' };
const PAGE: ErrorPage = { status: 404, title: 'Nothing here', message: 'No route' };
const PLAIN_HEADERS = {
  'content-type': 'text/html; charset=UTF-8',
  'cache-control': 'no-cache, private',
  vary: 'Accept',
};

const HOSTILE = [
  '"><script>alert(1)</script>',
  "'onload='alert(1)",
  '</title></style></main><img src=x onerror=alert(1)>',
  '<!--',
  '&lt;&amp;',
  '/%22%3E%3Cscript%3E',
  '/..%2f..%2fetc/passwd',
  '/\u00e9\u{1f600}\u4e2d',
  '/\ud800',
  '/\u0000\u0007\u001b[31m\u007f\u0085',
  '/\r\nset-cookie: a=b\r\n\r\n<html>',
  '/\u202egpj.exe',
  `/${'a'.repeat(10_240)}`,
  `/${'"'.repeat(10_240)}`,
  '$& $1 $`',
  '',
  '*',
  '//evil.example/',
];

function assertIsHarmless(html: string): void {
  const tags = html.replace(/<style>[^<]*<\/style>/, '').match(/<[!/]?[a-z][^>]*>/gi) ?? [];
  const names = new Set(tags.map(tag => /[a-z][\da-z]*/i.exec(tag)?.[0]));
  const known = 'a body circle code dd dl doctype dt g h1 head header html link main meta p path span svg title'.split(
    ' ',
  );
  assert.deepEqual(
    [...names].filter(name => !known.includes(name ?? '')),
    [],
  );
  assert.doesNotMatch(html, /<!--/);
  assert.ok(tags.every(tag => !/ on\w+=/i.test(tag)));
  assert.doesNotMatch(html.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u);
  assert.ok(html.isWellFormed());
}

test('the message contains the method and the full URL, without the query', () => {
  const cases: [Partial<UnroutedRequest>, string][] = [
    [{}, 'No route found for "GET http://localhost:8000/robots.txt"'],
    [{ method: 'HEAD', scheme: 'https', host: 'host' }, 'No route found for "HEAD https://host/robots.txt"'],
    [{ path: '/a?key=secret' }, 'No route found for "GET http://localhost:8000/a"'],
    [{ path: '/?' }, 'No route found for "GET http://localhost:8000/"'],
    [{ path: '/a?b?c' }, 'No route found for "GET http://localhost:8000/a"'],
    [{ path: '/%zz/%41?%' }, 'No route found for "GET http://localhost:8000/%zz/%41"'],
    [{ path: 'http://localhost:8000/a?b' }, 'No route found for "GET http://localhost:8000/a"'],
    [{ path: '/http://x/' }, 'No route found for "GET http://localhost:8000/http://x/"'],
  ];
  for (const [facts, message] of cases) assert.equal(toNotFoundMessage({ ...REQUEST, ...facts }), message);
});

test('a referer is shown as sent, an empty one is omitted', () => {
  const message = 'No route found for "GET http://localhost:8000/robots.txt"';
  assert.equal(toNotFoundMessage({ ...REQUEST, referer: 'http://x/?a=b' }), `${message} (from "http://x/?a=b")`);
  assert.equal(toNotFoundMessage({ ...REQUEST, referer: '' }), message);
  assert.equal(toNotFoundMessage({ ...REQUEST, referer: undefined }), message);
});

test('the page says what is wrong and where to go, without loading other files', () => {
  const html = renderErrorPage(PAGE);
  for (const part of [
    '<html lang="en">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="robots" content="noindex">',
    '<title>Nothing here · Rangelight</title>',
    '<h1>Nothing here</h1>',
    'Error 404',
    'No route',
    'href="/docs"',
    'prefers-color-scheme:dark',
  ]) {
    assert.ok(html.includes(part), part);
  }
  assert.doesNotMatch(html, /<script|https?:\/\/|@import|url\(/);
  assert.ok(Buffer.byteLength(html) < 6000);
});

test('class, location and token are shown in debug mode only', () => {
  const debug = { className: 'RouteNotFoundError', file: 'src/http/x.ts', line: 12, token: 'a1b2c3' };
  const html = renderErrorPage({ ...PAGE, debug });
  for (const part of ['RouteNotFoundError', 'src/http/x.ts:12', '<a href="/_debug/a1b2c3">']) {
    assert.ok(html.includes(part), part);
    assert.ok(!renderErrorPage(PAGE).includes(part), part);
  }
});

test('everything shown is escaped', () => {
  for (const text of HOSTILE) {
    const debug = { className: text, file: text, line: 1, token: 'a1b2c3' };
    assertIsHarmless(renderErrorPage({ status: 404, title: text, message: text, advice: text, debug }));
  }
  assert.ok(renderErrorPage({ ...PAGE, message: `&<>"'` }).includes('<code>&amp;&lt;&gt;&quot;&#39;</code>'));
  assert.ok(renderErrorPage({ ...PAGE, message: '\r\n\u202e' }).includes('<code>\u240d\u240a\ufffd</code>'));
});

test('the response has exactly the headers of the specification', () => {
  const { status, headers, body } = createNotFound()(REQUEST);
  assert.equal(status, 404);
  assert.deepEqual(headers, PLAIN_HEADERS);
  assert.ok(body.includes('No route found for &quot;GET http://localhost:8000/robots.txt&quot;'));
});

test('in debug mode, the headers lead to a record that opens', () => {
  const records = createDebugRecords({ max: 3 });
  const { headers, body } = createNotFound({ records })({ ...REQUEST, path: '/a?key=secret' });
  const token = headers['x-debug-token'] ?? '';
  const record = records.get(token);
  assert.ok(record);
  assert.deepEqual(headers, {
    ...PLAIN_HEADERS,
    'x-debug-exception': 'No%20route%20found%20for%20%22GET%20http%3A%2F%2Flocalhost%3A8000%2Fa%22',
    'x-debug-exception-file': `src%2Fhttp%2Ferror-pages%2Fnot-found.ts:${record.exception.line}`,
    'x-debug-token': token,
    'x-debug-token-link': `http://localhost:8000/_debug/${token}`,
  });
  assert.deepEqual([record.method, record.url], ['GET', 'http://localhost:8000/a']);
  assert.equal(record.exception.className, 'RouteNotFoundError');
  assert.ok(body.includes(`/_debug/${token}`));
});

function failOnce(): (page: ErrorPage) => string {
  let failed = false;
  return page => {
    if (failed) return renderErrorPage(page);
    failed = true;
    throw new TypeError('the page is broken');
  };
}

test('a failure to render is recorded, and the response names the exception before it', () => {
  const records = createDebugRecords({ max: 5 });
  const notFound = createNotFound({ records, render: failOnce() });
  const { status, headers, body } = notFound(REQUEST);
  const own = records.get(headers['x-debug-token'] ?? '');
  const previous = records.get(headers['x-previous-debug-token'] ?? '');
  assert.equal(status, 404);
  assert.equal(own?.exception.message, 'the page is broken');
  assert.equal(headers['x-debug-exception'], 'the%20page%20is%20broken');
  assert.equal(headers['x-debug-token-link'], `http://localhost:8000/_debug/${own?.token}`);
  assert.equal(previous?.exception.message, 'No route found for "GET http://localhost:8000/robots.txt"');
  assert.notEqual(own?.token, previous?.token);
  assert.ok(body.includes('No route found for &quot;GET http://localhost:8000/robots.txt&quot;'));
  assert.ok(!body.includes('broken'));
  assert.equal('x-previous-debug-token' in notFound(REQUEST).headers, false);
});

test('outside debug mode, a failure to render is passed only to the caller of createNotFound', () => {
  const failures: unknown[] = [];
  const notFound = createNotFound({ render: failOnce(), onRenderFailure: failure => failures.push(failure) });
  const { status, headers, body } = notFound({ ...REQUEST, path: '/<b>' });
  assert.equal(status, 404);
  assert.deepEqual(headers, PLAIN_HEADERS);
  assert.ok(body.includes('/&lt;b&gt;') && !body.includes('broken'));
  assert.match(String(failures), /^TypeError: the page is broken$/);
});

test('a hostile request gets a harmless page and headers that Node can send', () => {
  const text = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }));
  const facts = fc.record({ path: text, referer: text, host: text });
  const failing = () => {
    throw new Error('<script>');
  };
  fc.assert(
    fc.property(facts, fc.boolean(), (hostile, fails) => {
      const records = createDebugRecords({ max: 2 });
      const notFound = createNotFound({ records, render: fails ? failing : renderErrorPage });
      const { headers, body } = notFound({ ...REQUEST, ...hostile });
      assertIsHarmless(body);
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
      assert.ok(Object.values(headers).every(value => /^[ -~]*$/.test(value)));
    }),
    { seed: 20_261_121, numRuns: 500 },
  );
});
