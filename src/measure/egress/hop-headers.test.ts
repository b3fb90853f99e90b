import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutHopHeaders } from './forward.ts';

test('the spelling, order and repetition of headers are preserved', () => {
  const raw = ['X-B', '2', 'Set-Cookie', 'a=1', 'x-a', '1', 'set-cookie', 'b=2', 'Host', 'example.com'];
  assert.deepEqual(withoutHopHeaders(raw), raw);
});

test('hop-by-hop headers are removed in every spelling, and those that Connection lists', () => {
  const raw = [
    ...['Connection', 'keep-alive, X-Once ', 'Proxy-Connection', 'x-other', 'Keep-Alive', 'timeout=5'],
    ...[
      'PROXY-AUTHORIZATION',
      'Basic x',
      'Proxy-Authenticate',
      'Basic',
      'TE',
      'trailers',
      'Trailer',
      'x',
      'Upgrade',
      'h2c',
    ],
    ...['x-once', '1', 'X-Other', '2', 'X-Stays', '3'],
  ];
  assert.deepEqual(withoutHopHeaders(raw), ['X-Stays', '3']);
});

test('headers that frame a message cannot be listed in Connection', () => {
  const raw = ['Host', 'a', 'Content-Length', '3', 'Transfer-Encoding', 'chunked'];
  assert.deepEqual(withoutHopHeaders(['Connection', 'host, content-length, Transfer-Encoding', ...raw]), raw);
});
