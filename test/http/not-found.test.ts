/** Specification section 7 and contract section 5: paths without a route. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type RawRequest, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const plain = await startService({ after });
const debug = await startService({ after }, { DEBUG_HEADERS: 'true' });
const json = await startService({ after }, { ERROR_PAGES: 'json' });
const hidden = await startService({ after }, { NOINDEX: 'true' });
const visibleDebug = await startService({ after }, { DEBUG_HEADERS: 'true', NOINDEX: 'false' });

const get = (service: { url: string }, target: string, headers: RawRequest['headers'] = []) =>
  sendRaw(service, { target, headers });
const debugHeaders = ['x-debug-exception', 'x-debug-exception-file', 'x-debug-token', 'x-debug-token-link'];
const escaped = (text: string) => text.replaceAll('"', '&quot;');

test('an unrouted GET answers 404 with exactly the headers of the specification', async () => {
  const { status, headers, body } = await get(plain, '/nothing/here');
  assert.equal(status, 404);
  assert.equal(headers.get('content-type'), 'text/html; charset=UTF-8');
  assert.equal(headers.get('cache-control'), 'no-cache, private');
  assert.equal(headers.get('vary'), 'Accept');
  const others = [...headers.keys()].filter(name => !['connection', 'content-length', 'date'].includes(name));
  assert.deepEqual(others.toSorted(), ['cache-control', 'content-type', 'vary']);
  assert.match(body, /^<!doctype html>/);
});

test('/robots.txt and /favicon.ico stay unrouted', async () => {
  for (const target of ['/robots.txt', '/favicon.ico']) {
    const { status, headers, body } = await get(plain, target);
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=UTF-8']);
    assert.ok(body.includes(escaped(`No route found for "GET ${plain.url}${target}"`)));
  }
});

test('everything shown is escaped', async () => {
  const attack = '<script>alert(1)</script>';
  for (const service of [plain, debug]) {
    const { status, body } = await get(service, `/${attack}"'&`, [`Referer: ${attack}`]);
    assert.equal(status, 404);
    assert.ok(!body.includes(attack));
    assert.ok(body.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
  }
});

test('an Accept that prefers JSON gets JSON', async () => {
  for (const accept of [
    'application/json',
    'application/json, text/html;q=0.9',
    'application/problem+json',
    'application/*',
  ]) {
    const { status, headers, body } = await get(plain, '/nothing', [`Accept: ${accept}`]);
    assert.equal(status, 404, accept);
    assert.equal(headers.get('content-type'), 'application/json', accept);
    assert.equal(headers.get('vary'), 'Accept', accept);
    assert.equal(body, '{"detail":"Not Found"}', accept);
  }
});

test('an Accept that does not prefer JSON gets HTML', async () => {
  const accepts = [
    '*/*',
    'text/html',
    'text/html,application/json',
    'application/json;q=0.1, text/html',
    'image/png',
    'q=;,,',
  ];
  for (const accept of accepts) {
    const { headers } = await get(plain, '/nothing', [`Accept: ${accept}`]);
    assert.equal(headers.get('content-type'), 'text/html; charset=UTF-8', accept);
  }
});

test('ERROR_PAGES=json always answers JSON', async () => {
  for (const accept of ['text/html', '*/*']) {
    const { status, headers, body } = await get(json, '/nothing', [`Accept: ${accept}`]);
    assert.deepEqual([status, headers.get('content-type'), body], [404, 'application/json', '{"detail":"Not Found"}']);
  }
});

test('NOINDEX adds x-robots-tag, and is off by default', async () => {
  assert.equal((await get(hidden, '/nothing')).headers.get('x-robots-tag'), 'noindex');
  assert.equal((await get(plain, '/nothing')).headers.get('x-robots-tag'), null);
});

test('a path that cannot be decoded is like any other without a route, in its headers and in the log', async () => {
  for (const target of ['/caf%E9', '/100%', '/health%', '/_debug/%zz', `/_debug/${'x'.repeat(5000)}`]) {
    const [odd, usual] = [await get(hidden, target), await get(hidden, '/nothing')];
    assert.equal(odd.status, 404, target);
    const namesOf = ({ headers }: typeof odd) => [...headers.keys()].toSorted();
    assert.deepEqual(namesOf(odd), namesOf(usual), target);
    assert.equal(odd.headers.get('x-robots-tag'), 'noindex');
    assert.ok(odd.body.includes(escaped(`No route found for "GET ${hidden.url}${target}"`)), target);
  }
});

test('a malformed request is answered with x-robots-tag, too', async () => {
  const unreadable = await get(hidden, '/nothing here');
  assert.deepEqual([unreadable.status, unreadable.headers.get('x-robots-tag')], [400, 'noindex']);
  assert.equal((await get(plain, '/nothing here')).headers.get('x-robots-tag'), null);
});

test('a target with scheme and host is the same path, also for a wrong method', async () => {
  assert.equal((await get(plain, `${plain.url}/health`)).status, 200);
  const wrong = await sendRaw(plain, { method: 'POST', target: `${plain.url}/health` });
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD']);
});

test('NOINDEX is on by default in debug mode', async () => {
  assert.equal((await get(debug, '/nothing')).headers.get('x-robots-tag'), 'noindex');
  assert.equal((await get(visibleDebug, '/nothing')).headers.get('x-robots-tag'), null);
});

test('there are no debug headers outside debug mode', async () => {
  const { headers } = await get(plain, '/nothing');
  assert.deepEqual(
    [...headers.keys()].filter(name => name.includes('debug')),
    [],
  );
  assert.equal((await get(plain, '/_debug/abcdef')).status, 404);
});

test('debug mode adds the headers of the specification', async () => {
  const { headers } = await get(debug, "/it's(here)!", ['Referer: https://example.com/']);
  const message = `No route found for "GET ${debug.url}/it's(here)!" (from "https://example.com/")`;
  const encoded = headers.get('x-debug-exception') ?? '';
  assert.equal(decodeURIComponent(encoded), message);
  assert.match(encoded, /^[\w.~%-]+$/, 'percent-encoded as RFC 3986 has it');
  assert.match(headers.get('x-debug-exception-file') ?? '', /^src%2F[\w.%-]+:\d+$/);
  assert.match(headers.get('x-debug-token') ?? '', /^[\da-f]{6}$/);
  assert.equal(headers.get('x-previous-debug-token'), null);
});

test('the debug token link opens the record', async () => {
  const { headers } = await get(debug, '/opens');
  const link = headers.get('x-debug-token-link') ?? '';
  assert.ok(link.startsWith(debug.url) && link.endsWith(headers.get('x-debug-token') ?? '-'), link);
  const response = await fetch(link);
  const record = await response.text();
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/html; charset=UTF-8');
  assert.ok(record.includes(escaped(`No route found for "GET ${debug.url}/opens"`)));
});

test('an unknown debug token is not found', async () => {
  assert.equal((await get(debug, '/_debug/nobody')).status, 404);
});

test('debug headers are sent with JSON, too', async () => {
  const { headers } = await get(debug, '/nothing', ['Accept: application/json']);
  assert.equal(headers.get('content-type'), 'application/json');
  for (const name of debugHeaders) assert.ok(headers.has(name), name);
});

test('every method on an unrouted path is not found, and shown in the message', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const { status, body } = await sendRaw(plain, { method, target: '/nothing' });
    assert.equal(status, 404, method);
    assert.ok(body.includes(escaped(`No route found for "${method} ${plain.url}/nothing"`)), method);
  }
});

test('a POST with a body to an unrouted path is not found, whatever the body', async () => {
  const headers = ['Content-Type: application/json'];
  for (const body of ['{', '{}', 'x'.repeat(500_000)]) {
    const { status } = await sendRaw(plain, { method: 'POST', target: '/nothing', headers, body });
    assert.equal(status, 404, `${body.length} bytes`);
  }
});

test('a POST to an unrouted path is 404 even with a body above the limit', async () => {
  const body = 'x'.repeat(2 * 1024 * 1024);
  assert.equal((await sendRaw(plain, { method: 'POST', target: '/nothing', body })).status, 404);
});

test('HEAD on an unrouted path has the same headers and no body', async () => {
  const asGet = await get(plain, '/nothing');
  const { status, headers, body } = await sendRaw(plain, { method: 'HEAD', target: '/nothing' });
  assert.deepEqual([status, body], [404, '']);
  for (const name of ['content-type', 'cache-control', 'vary'])
    assert.equal(headers.get(name), asGet.headers.get(name));
});

test('a path that cannot be decoded is not found', async () => {
  for (const target of ['/%zz', '/%', '/psi%00', '/%E0%A4%A']) {
    const { status, headers } = await get(plain, target);
    assert.deepEqual([status, headers.get('content-type')], [404, 'text/html; charset=UTF-8'], target);
  }
});

test('paths match exactly: case, trailing slashes and double slashes count', async () => {
  for (const target of ['/PSI', '/psi/', '//psi', '/psi/x', '/health/', '/v2/psi'])
    assert.equal((await get(plain, target)).status, 404, target);
});
