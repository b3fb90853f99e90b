import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { toRoutableUrl } from './server-limits.ts';

const read = (url: string) => toRoutableUrl({ url } as IncomingMessage);

test('a decodable path is not changed', () => {
  for (const url of ['/', '/psi?url=http://x/%', '/caf%C3%A9', '/a%2Fb', '/%25', '//x', '/a?b#c', '*', ''])
    assert.equal(read(url), url);
});

test('scheme and host are removed from the front', () => {
  assert.equal(read('http://127.0.0.1:8000/health?x=1'), '/health?x=1');
  assert.equal(read('HTTPS://host/a/b'), '/a/b');
  assert.equal(read('http://host'), '/');
  assert.equal(read('http://host?x'), '/?x');
  assert.equal(read('ftp://host/health'), 'ftp://host/health');
});

test('an undecodable path is replaced by one without a route', () => {
  for (const url of ['/caf%E9', '/100%', '/%zz?x=1', '/_debug/%zz', 'http://host/%'])
    assert.equal(read(url), '/%00', url);
});
