import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endpointOfUrl, nameOf, toEndpoint } from './endpoint.ts';

test('a host and a port become an endpoint in canonical form', () => {
  const cases: [string, number, string][] = [
    ['example.com', 443, 'example.com:443'],
    ['EXAMPLE.com.', 443, 'example.com:443'],
    ['b\u00fccher.example.com', 443, 'xn--bcher-kva.example.com:443'],
    ['[::1]', 443, '[::1]:443'],
    ['::1', 443, '[::1]:443'],
    ['[::ffff:127.0.0.1]', 80, '[::ffff:7f00:1]:80'],
    ['2130706433', 80, '127.0.0.1:80'],
    ['0177.0.0.1', 80, '127.0.0.1:80'],
    ['0x7f.1', 80, '127.0.0.1:80'],
    ['127.1', 8080, '127.0.0.1:8080'],
    ['%31%32%37.0.0.1', 80, '127.0.0.1:80'],
    ['\uff11\uff12\uff17.0.0.1', 80, '127.0.0.1:80'],
    ['example.com', 0, 'example.com:0'],
    ['example.com', 65_535, 'example.com:65535'],
  ];
  for (const [host, port, name] of cases) {
    const endpoint = toEndpoint(host, port);
    assert.equal(endpoint && nameOf(endpoint), name, host);
  }
});

test('anything but a host is not an endpoint', () => {
  const hosts = [
    ...['', ':', 'example.com:443', 'example.com/', 'example.com?x', 'example.com#x', 'user@example.com', '/', '//x'],
    ...[
      'http://example.com',
      '[::1',
      '::1]',
      '[fe80::1%25eth0]',
      '[127.0.0.1]',
      'a..b',
      '.',
      'a b',
      'a\\b',
      'a\u0000b',
    ],
    ...['256.0.0.1', '1.2.3.4.5'],
  ];
  for (const host of hosts) assert.equal(toEndpoint(host, 443), undefined, JSON.stringify(host));
  assert.equal(toEndpoint('example.com', 65_536), undefined);
});

test('a URL has the endpoint of its host and port', () => {
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
