import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointOfConnect, endpointOfUrl, nameOf } from './endpoint.ts';

test('the target of a CONNECT is a host and a port, in canonical form', () => {
  const cases: [string, string][] = [
    ['example.com:443', 'example.com:443'],
    ['EXAMPLE.com.:443', 'example.com:443'],
    ['example.com:80', 'example.com:80'],
    ['b\u00fccher.example.com:443', 'xn--bcher-kva.example.com:443'],
    ['[::1]:443', '[::1]:443'],
    ['[::ffff:127.0.0.1]:80', '[::ffff:7f00:1]:80'],
    ['2130706433:80', '127.0.0.1:80'],
    ['0177.0.0.1:80', '127.0.0.1:80'],
    ['0x7f.1:80', '127.0.0.1:80'],
    ['127.1:08080', '127.0.0.1:8080'],
    ['%31%32%37.0.0.1:80', '127.0.0.1:80'],
    ['\uff11\uff12\uff17.0.0.1:80', '127.0.0.1:80'],
    ['example.com:0', 'example.com:0'],
    ['example.com:65535', 'example.com:65535'],
  ];
  for (const [target, name] of cases) {
    const endpoint = endpointOfConnect(target);
    assert.equal(endpoint && nameOf(endpoint), name, target);
  }
});

test('anything but a host and a port is not a CONNECT target', () => {
  const targets = [
    ...['', ':', 'example.com', 'example.com:', ':443', 'example.com:https', 'example.com:-1', 'example.com:65536'],
    ...['example.com:99999', 'example.com:443/', 'example.com:443?x', 'example.com:443#x', 'example.com/x:443'],
    ...['user@example.com:443', 'user:pass@example.com:443', 'http://example.com:443', '//example.com:443', '/:443'],
    ...['::1:443', '[::1]', '[::1:443', '::1]:443', '[fe80::1%25eth0]:443', '[127.0.0.1]:443', 'a..b:443', '.:443'],
    ...['a b:443', 'a\\b:443', 'a\u0000b:443', '256.0.0.1:80', '1.2.3.4.5:80', 'example.com:4 43'],
  ];
  for (const target of targets) {
    const endpoint = endpointOfConnect(target);
    assert.equal(endpoint && nameOf(endpoint), undefined, JSON.stringify(target));
  }
});

test('a URL has the same endpoint as its CONNECT', () => {
  const cases: [string, string][] = [
    ['https://example.com./', 'example.com:443'],
    ['http://example.com/', 'example.com:80'],
    ['http://[::1]:3000/', '[::1]:3000'],
    ['http://0x7f000001/', '127.0.0.1:80'],
  ];
  for (const [href, name] of cases) {
    const endpoint = endpointOfUrl(new URL(href));
    assert.equal(endpoint && nameOf(endpoint), name);
  }
  for (const href of ['about:blank', 'data:,x', 'http://a..b/']) assert.equal(endpointOfUrl(new URL(href)), undefined);
});
