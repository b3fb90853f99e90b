import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { toDebugHeaders } from './debug-records.ts';

const BASE = { token: 'a1b2c3', baseUrl: 'http://localhost:8000' };

function exceptionHeader(message: string): string {
  return toDebugHeaders({ ...BASE, error: new Error(message) })['x-debug-exception'] ?? '';
}

test('an exception is described by four headers', () => {
  const error = new Error('No route found for "GET http://host/robots.txt"');
  error.stack = `${error.stack?.split('\n')[0]}\n    at node:internal/x (y):127:3`;
  assert.deepEqual(toDebugHeaders({ ...BASE, error }), {
    'x-debug-exception': 'No%20route%20found%20for%20%22GET%20http%3A%2F%2Fhost%2Frobots.txt%22',
    'x-debug-exception-file': 'y%29:127',
    'x-debug-token': 'a1b2c3',
    'x-debug-token-link': 'http://localhost:8000/_debug/a1b2c3',
  });
});

test('the file is relative to the project, and its line follows an unescaped colon', () => {
  const headers = toDebugHeaders({ ...BASE, error: new Error('x') });
  assert.match(headers['x-debug-exception-file'] ?? '', /^src%2Fhttp%2Ferror-pages%2Fdebug-headers\.test\.ts:\d+$/);
});

test('the previous token is sent only if there is one', () => {
  const error = new Error('x');
  assert.equal('x-previous-debug-token' in toDebugHeaders({ ...BASE, error, previousToken: undefined }), false);
  assert.equal(toDebugHeaders({ ...BASE, error, previousToken: '000000' })['x-previous-debug-token'], '000000');
});

test('the message is encoded according to RFC 3986', () => {
  assert.equal(exceptionHeader("!'()*~-._ +&\r\n\u0000"), '%21%27%28%29%2A~-._%20%2B%26%0D%0A%00');
  assert.equal(exceptionHeader('\u00e9\u{1f600}'), '%C3%A9%F0%9F%98%80');
  assert.equal(exceptionHeader('\ud800'), '%EF%BF%BD');
});

test('the message is cut to 2000 bytes, never within a character', () => {
  const cases: [message: string, kept: string][] = [
    ['a'.repeat(2000), 'a'.repeat(2000)],
    ['a'.repeat(2001), 'a'.repeat(2000)],
    ['\u00e9'.repeat(1001), '\u00e9'.repeat(1000)],
    [`a${'\u00e9'.repeat(1000)}`, `a${'\u00e9'.repeat(999)}`],
    [`${'a'.repeat(1999)}\u{1f600}`, 'a'.repeat(1999)],
    [`${'a'.repeat(1997)}\u{1f600}`, 'a'.repeat(1997)],
    [`${'a'.repeat(1996)}\u{1f600}b`, `${'a'.repeat(1996)}\u{1f600}`],
  ];
  for (const [message, kept] of cases) assert.equal(decodeURIComponent(exceptionHeader(message)), kept);
});

test('Node can send every header value, whatever was thrown and whatever the host', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ minLength: 1990, maxLength: 2100 }));
  const thrown = fc.oneof(
    text.map(message => new Error(message)),
    text.map(stack => Object.assign(new Error('x'), { stack: `Error: x\n    at ${stack}:1:2` })),
    fc.anything(),
  );
  fc.assert(
    fc.property(thrown, fc.string({ unit: 'binary' }), (error, host) => {
      const headers = toDebugHeaders({ error, token: 'a1b2c3', baseUrl: `http://${host}` });
      for (const [name, value] of Object.entries(headers)) {
        validateHeaderValue(name, value);
        assert.match(value, /^[!-~]*$/);
      }
    }),
    { seed: 20_261_121, numRuns: 1000 },
  );
});
