import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findInHosts } from './system-network.ts';

test('a name has the addresses of every line that lists it, in order', () => {
  const text =
    '127.0.0.1\tlocalhost vm # this machine\n::1 LOCALHOST\n\n#10.0.0.1 app\n10.0.0.2   App.Internal  app\r\n10.0.0.3';
  assert.deepEqual(findInHosts(text, 'localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(findInHosts(text, 'vm'), ['127.0.0.1']);
  assert.deepEqual(findInHosts(text, 'app.internal'), ['10.0.0.2']);
  assert.deepEqual(findInHosts(text, 'app'), ['10.0.0.2']);
  for (const name of ['this', 'machine', '10.0.0.3', '', 'internal'])
    assert.deepEqual(findInHosts(text, name), [], name);
});
