import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toChromeUrl, toPageUrl, type UrlFault } from './page-url.ts';

function hrefOf(input: string): string {
  const result = toPageUrl(input);
  assert.ok('href' in result, `${JSON.stringify(input)} was refused: ${JSON.stringify(result)}`);
  return result.href;
}

function faultOf(input: string): UrlFault {
  const result = toPageUrl(input);
  assert.ok('fault' in result, `${JSON.stringify(input)} was read as ${JSON.stringify(result)}`);
  return result.fault;
}

test('the canonical form is the WHATWG href, with its fragment', () => {
  const cases: [string, string][] = [
    ['HTTPS://Example.ORG', 'https://example.org/'],
    ['   https://example.org/a   ', 'https://example.org/a'],
    ['https://example.org:443/', 'https://example.org/'],
    ['http://example.org:80/', 'http://example.org/'],
    ['http://example.org:/', 'http://example.org/'],
    ['http://example.org:08080/', 'http://example.org:8080/'],
    ['https://example.org/a/../b/%2e/c#Top', 'https://example.org/b/c#Top'],
    ['https://example.org/a\\b?c\\d', 'https://example.org/a/b?c\\d'],
    ['https://example.org?to=me@host', 'https://example.org/?to=me@host'],
    ['https://example.org#me@host', 'https://example.org/#me@host'],
    ['https://example.org/@user', 'https://example.org/@user'],
    ['https://bücher.example.org/straße', 'https://xn--bcher-kva.example.org/stra%C3%9Fe'],
    ['https://example.org./', 'https://example.org./'],
    ['http://under_score.example.org/', 'http://under_score.example.org/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0x7f.0.0.1:3000/', 'http://127.0.0.1:3000/'],
    ['http://[2001:DB8:0::1]:8080/', 'http://[2001:db8::1]:8080/'],
    ['http://localhost:3000/app', 'http://localhost:3000/app'],
    [`http://${'a'.repeat(63)}.org/`, `http://${'a'.repeat(63)}.org/`],
  ];
  for (const [input, href] of cases) assert.equal(hrefOf(input), href);
});

test('input without a scheme is rejected with the correct form', () => {
  const cases: [string, string][] = [
    ['example.com', 'https://example.com'],
    ['example.com/path?q=1', 'https://example.com/path?q=1'],
    ['www.bücher.example', 'https://www.bücher.example'],
    ['//example.com/x', 'https://example.com/x'],
    ['https//example.com', 'https://example.com'],
    ['https;//example.com/x', 'https://example.com/x'],
    ['htps//example.com', 'https://example.com'],
    ['intranet//wiki', 'https://intranet//wiki'],
    ['example.com:8080/x', 'https://example.com:8080/x'],
    ['localhost:3000', 'http://localhost:3000'],
    ['app.localhost:3000/x', 'http://app.localhost:3000/x'],
    ['127.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.1:3000/x', 'http://127.0.0.1:3000/x'],
    ['[::1]:3000', 'http://[::1]:3000'],
    ['/path', 'https://example.com'],
    ['?x', 'https://example.com'],
    ['"https://example.com"', 'https://example.com'],
    ['//user:hunter2@example.com/', 'https://example.com'],
    ['1user:hunter2@example.com', 'https://example.com'],
  ];
  for (const [input, fix] of cases) {
    const reason = `relative URL without a base: write '${fix}' with its scheme`;
    assert.deepEqual(faultOf(input), { kind: 'parsing', reason }, input);
  }
});

test('long input is truncated in the advice', () => {
  const { reason } = faultOf(`example.com/${'a'.repeat(1000)}`);
  assert.match(reason, /write 'https:\/\/example\.com\/a+…' with its scheme$/);
  assert.ok(reason.length < 160);
});

test('another scheme is rejected as such, whatever it contains', () => {
  const cases: [string, string][] = [
    ['javascript:alert(1)', 'javascript'],
    ['JavaScript:1', 'javascript'],
    ['mailto:a@example.com', 'mailto'],
    ['tel:5551234', 'tel'],
    ['tel:911', 'tel'],
    ['file:///etc/passwd', 'file'],
    ['data:text/html,x', 'data'],
    ['about:blank', 'about'],
    ['chrome://settings', 'chrome'],
    ['view-source:https://example.com/', 'view-source'],
    ['blob:https://example.com/1', 'blob'],
    ['ws://example.com/', 'ws'],
    ['ftp://example.com/', 'ftp'],
    ['hxxp://example.com/', 'hxxp'],
    ['admin:hunter2@example.com', 'admin'],
  ];
  for (const [input, scheme] of cases) assert.deepEqual(faultOf(input), { kind: 'scheme', reason: scheme }, input);
});

test("errors use pydantic's messages if it has them", () => {
  const cases: [string, RegExp][] = [
    ['', /^input is empty$/],
    ['    ', /^input is empty$/],
    ['http://', /^empty host$/],
    ['https:', /^empty host$/],
    ['http:///example.com/', /^empty host$/],
    ['http://:80/', /^empty host$/],
    ['http://?x', /^empty host$/],
    ['http://example.com:65536/', /^invalid port number$/],
    ['http://example.com:-1/', /^invalid port number$/],
    ['http://example.com:80a/', /^invalid port number$/],
    ['http://example.com:80:80/', /^invalid port number$/],
    ['http://[::1]:x/', /^invalid port number$/],
    ['http://[::1/', /^invalid IPv6 address$/],
    ['http://[:::1]/', /^invalid IPv6 address$/],
    ['http://[fe80::1%25eth0]/', /^invalid IPv6 address$/],
    ['http://::1/', /^invalid IPv6 address: write it in brackets, \[::1\]$/],
    ['http://256.1.1.1/', /^invalid IPv4 address$/],
    ['http://09.0.0.1/', /^invalid IPv4 address$/],
    ['http://foo.0x/', /^invalid IPv4 address$/],
    ['http://exa<mple>.com/', /^invalid international domain name$/],
    ['http://a%00b.com/', /^invalid international domain name$/],
    ['http://example.com%40127.0.0.1/', /^invalid (?:IPv4 address|international domain name)$/],
    ['http://a..example.com/', /^invalid international domain name: two dots/],
    ['http://./', /^invalid international domain name: two dots/],
    ['http://example.com../', /^invalid international domain name: two dots/],
    [`http://${'a'.repeat(64)}.org/`, /^invalid international domain name: a part is longer than 63/],
    [`http://${'aaaa.'.repeat(50)}orgs/`, /^invalid international domain name: longer than 253/],
  ];
  for (const [input, reason] of cases) {
    const fault = faultOf(input);
    assert.equal(fault.kind, 'parsing', input);
    assert.match(fault.reason, reason, input);
  }
});

test('a URL that the WHATWG parser repairs and other parsers read differently is rejected', () => {
  const inputs = [
    'http:example.com',
    'http:/example.com/',
    'http:\\\\example.com',
    'https:\\/example.com',
    'http:8080',
  ];
  for (const input of inputs) assert.match(faultOf(input).reason, /two forward slashes$/, input);
  assert.match(faultOf('http://example.com\\@127.0.0.1/').reason, /backslash/);
  assert.match(faultOf('http://example.com\\path').reason, /backslash/);
});

test('control characters, inner spaces and half characters are rejected, outer ones too unless they are U+0020', () => {
  for (const input of [
    'ht\ntp://a.org/',
    'http://a.org/\r\nX: 1',
    '\thttp://a.org/',
    'http://a.org/\u007f',
    'http://a.org/\u0085',
  ]) {
    assert.match(faultOf(input).reason, /^control characters are not allowed \(U\+[0-9A-F]{4} at \d+\)$/);
  }
  assert.match(faultOf('http://a.org/\0').reason, /U\+0000 at 13/);
  for (const input of ['https://exa mple.org/', 'https://a.org/a b', 'https://a.org/#a b']) {
    assert.match(faultOf(input).reason, /^spaces are not allowed/);
  }
  assert.equal(faultOf('https://a.org/\ud800').kind, 'parsing');
  assert.equal(faultOf('\u00a0https://a.org/').kind, 'parsing');
});

test('a user name or password is rejected and never repeated', () => {
  const inputs = [
    'https://user:hunter2@example.com/',
    'https://hunter2@example.com',
    'http://@example.com/',
    'http://:@example.com/',
  ];
  for (const input of inputs) {
    const fault = faultOf(input);
    assert.equal(fault.kind, 'value', input);
    assert.match(fault.reason, /^a user name or password is not allowed/);
    assert.doesNotMatch(fault.reason, /hunter2/);
  }
  for (const input of ['http://a:80@127.0.0.1/', 'http://127.0.0.1@example.com/'])
    assert.equal(faultOf(input).kind, 'value');
});

test('ports that browsers block are rejected', () => {
  for (const port of [0, 1, 22, 25, 110, 2049, 6000, 6667, 10080]) {
    const reason = `port ${port} is not allowed: browsers load no page from it`;
    assert.deepEqual(faultOf(`http://example.com:${port}/`), { kind: 'value', reason });
  }
  for (const port of [2, 81, 3000, 6379, 8080, 65535]) hrefOf(`http://example.com:${port}/`);
});

test('the input and the canonical form have at most 2,048 characters, without outer spaces', () => {
  const fits = `https://example.com/${'a'.repeat(2048 - 20)}`;
  assert.equal(fits.length, 2048);
  assert.equal(hrefOf(`  ${fits}  `), fits);
  assert.equal(faultOf(`${fits}a`).kind, 'too_long');
  // `é` is one character of input and six of the canonical form.
  assert.equal(faultOf(`https://example.com/${'é'.repeat(400)}`).kind, 'too_long');
});

test('a megabyte of spaces is trimmed in linear time', { timeout: 5000 }, () => {
  assert.equal(faultOf(`x${' '.repeat(1_000_000)}x`).kind, 'too_long');
  assert.equal(faultOf(' '.repeat(1_000_000)).reason, 'input is empty');
});

const urlish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'http',
        'https',
        'HTTP',
        ':',
        '//',
        '/',
        '\\',
        '@',
        '#',
        '?',
        '.',
        '..',
        '%',
        '%2e',
        '[',
        ']',
        ' ',
      ),
      fc.constantFrom(
        'example.com',
        'localhost',
        '127.1',
        '0x7f',
        '::1',
        ':80',
        ':0',
        'xn--',
        'ß',
        '。',
        '１',
        '\u00ad',
        '\n',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 14 },
  )
  .map(parts => parts.join(''));

const anyInput = fc.oneof(
  fc.string({ unit: 'binary' }),
  urlish,
  urlish.map(rest => `http://${rest}`),
  urlish.map(rest => `https://example.com${rest}`),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
);

test('property: any string gives a stable http(s) URL without userinfo, or a fault', () => {
  let accepted = 0;
  const property = fc.property(anyInput, input => {
    const result = toPageUrl(input);
    if ('fault' in result) return assert.notEqual(result.fault.reason, '');
    accepted++;
    const { href } = result;
    assert.match(href, /^https?:\/\/[^/\\@]+\//);
    assert.ok(href.length <= 2048);
    const { username, password } = new URL(href);
    assert.equal(username + password, '');
    assert.deepEqual(toPageUrl(href), { href });
  });
  fc.assert(property, { seed: 20_260_101, numRuns: 5000 });
  assert.ok(accepted > 500, `only ${accepted} inputs were accepted`);
});

test('Chrome encodes a vertical bar in a path, and nothing else', () => {
  for (const [href, written] of [
    ['https://example.com/a|b|c/?d|e#f|g', 'https://example.com/a%7Cb%7Cc/?d|e#f|g'],
    ['https://example.com/%7c', 'https://example.com/%7c'],
    [`https://example.com/"'()*+,;=:@!$&~`, "https://example.com/%22'()*+,;=:@!$&~"],
  ] as const)
    assert.equal(toChromeUrl(href), written);
});
