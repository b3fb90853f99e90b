import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostCheck } from './guard.ts';

const addresses = ['127.0.0.1', '127.0.0.1:8000', '[::1]', '[::1]:8000', '10.1.2.3:80', '[2001:db8::1]:8000'];
const noHosts = [
  '',
  ' ',
  ':8000',
  'a b',
  'lab.example.com/x',
  'x@lab.example.com',
  'lab.example.com:80:80',
  '[::1',
  'a..b',
];

test('a list allows its names in every spelling, and addresses', () => {
  const isAllowed = createHostCheck(['lab.example.com', 'box']);
  for (const host of ['lab.example.com', 'LAB.Example.com:8000', 'lab.example.com.', 'lab.example.com.:8000', 'box:1'])
    assert.equal(isAllowed(host), true, host);
  for (const host of addresses) assert.equal(isAllowed(host), true, host);
  for (const host of ['evil.example', 'example.com', 'x.lab.example.com', 'lab.example.com.evil.example', 'localhost'])
    assert.equal(isAllowed(host), false, host);
  for (const host of noHosts) assert.equal(isAllowed(host), false, host);
});

test('localhost allows its subdomains, but no name that merely ends with it', () => {
  const isAllowed = createHostCheck(['localhost']);
  for (const host of ['localhost', 'localhost:8000', 'LOCALHOST.', 'app.localhost:8000', 'a.b.localhost', ...addresses])
    assert.equal(isAllowed(host), true, host);
  for (const host of ['notlocalhost', 'localhost.evil.example', '127.0.0.1.evil.example', ...noHosts])
    assert.equal(isAllowed(host), false, host);
});

test('the setting any allows everything', () => {
  for (const host of ['evil.example', ...addresses, ...noHosts]) assert.equal(createHostCheck('any')(host), true, host);
});
