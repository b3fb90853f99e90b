import assert from 'node:assert/strict';
import { hostname, networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { isOwnAddress } from './analyse-both.ts';

test("loopback, the machine's name and its interface addresses are the machine's own", () => {
  const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
  const hosts = addresses.map(({ address, family }) => (family === 'IPv6' ? `[${address}]:8000` : `${address}:8000`));
  for (const host of ['127.0.0.1:9000', 'localhost', '[::1]:80', `${hostname()}:1`, ...hosts])
    assert.ok(isOwnAddress(host), host);
});

test("other hosts are not the machine's own", () => {
  for (const host of [
    undefined,
    '',
    'localhost.example',
    '127.0.0.1.example',
    '192.0.2.7:80',
    '[2001:db8::7]:80',
    '[::1',
  ])
    assert.ok(!isOwnAddress(host), String(host));
});
