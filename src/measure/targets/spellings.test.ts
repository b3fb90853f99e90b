/**
 * Spellings of hosts, beside the shared vectors: what each is read as, and judged. One letter for each of the settings
 * public, list and any: A allowed, R refused by the policy; `P` alone: no URL at all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPageUrl } from './page-url.ts';
import { createPolicy, type Targets } from './policy.ts';

const SETTINGS: readonly Targets[] = [
  'public',
  ['app.internal', 'localhost', '10.20.0.0/16', '127.0.0.0/8', '::1/128'],
  'any',
];
const POLICIES = SETTINGS.map(targets => createPolicy({ targets, localAddresses: () => [], ownPort: () => 8000 }));

function verdictOf(input: string): string {
  const url = toPageUrl(input);
  if ('fault' in url) return 'P';
  return POLICIES.map(policy => (policy.judgeUrl(url.href).allowed ? 'A' : 'R')).join('');
}

function assertVerdicts(expected: string, inputs: readonly string[]): void {
  const wrong = inputs.map(input => [input, verdictOf(input)]).filter(([, verdict]) => verdict !== expected);
  assert.deepEqual(wrong, [], `expected ${expected}`);
}

const toUrl = (host: string) => `http://${host}/`;
const hosts = (list: string) => list.split(' ').map(toUrl);

test('every spelling of an IPv4 loopback address is loopback', () => {
  assertVerdicts('RAA', [
    ...hosts('127.0.0.1 127.0.1 127.1 2130706433 0x7f000001 0X7F000001 017700000001 127.0.0.1.'),
    ...hosts('0x7f.0.0.1 0177.0.0.1 00177.0.0.01 0000000177.0.0.1 127.0x0.0.0x1 127.0.0x1 0x7f.1 127.255.255.254'),
    ...hosts('127.0.0.0x1 127.0x.0x.1 0x7F.0X0.0.01'),
    ...hosts('%31%32%37.0.0.1 127%2e0%2e0%2e1 127.0.0.%31 %30x7f000001 127\u30020\uff0e0\uff611'),
    ...hosts('\uff11\uff12\uff17.0.0.1 \u2460\u2461\u2466.0.0.1 127.\u24ea.0.1 \u{1d7cf}27.0.0.1 127.0.0.\u00b9'),
    ...hosts('\u00ad127.0.0.1'),
    ...hosts('127.0.0.1:80 127.0.0.1:080 127.0.0.1:3000 127.0.0.1:65535'),
  ]);
});

test('every spelling of an IPv6 loopback address is loopback', () => {
  assertVerdicts('RAA', [
    ...hosts('[::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [0::1] [::0:1]'),
    ...hosts('[0:0::0:1]'),
    ...hosts('[::ffff:127.0.0.1] [::FFFF:7F00:1] [0:0:0:0:0:ffff:127.0.0.1] [::ffff:7f00:0001]'),
    ...hosts('[0::ffff:127.255.0.1]'),
    ...hosts('[::1]:3000 [::1]:80'),
  ]);
});

test('names of this machine are loopback', () => {
  assertVerdicts('RAA', [
    ...hosts('localhost LOCALHOST localhost. a.b.localhost local%68ost \uff4cocalhost loc\u00adalhost'),
    ...hosts('localho\u017ft'),
  ]);
  assertVerdicts('RRA', [
    ...hosts('localhost.localdomain localhost6 ip6-localhost broadcasthost host.docker.internal'),
    ...hosts('kubernetes.default.svc'),
  ]);
});

test('no setting allows metadata addresses, in any spelling', () => {
  assertVerdicts('RRR', [
    ...hosts('169.254.169.254 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376 169.254.43518'),
    ...hosts('169.16689662'),
    ...hosts('169.254.169.254. 169%2e254%2e169%2e254 \uff11\uff16\uff19.254.169.254'),
    ...hosts('\u2460\u2465\u2468.254.169.254'),
    ...hosts('[::ffff:169.254.169.254] [::ffff:a9fe:a9fe] [0:0:0:0:0:FFFF:A9FE:A9FE] [::169.254.169.254]'),
    ...hosts('[64:ff9b::169.254.169.254]'),
    ...hosts('[64:ff9b:1::a9fe:a9fe] [2002:a9fe:a9fe::] [2001:0:a9fe:a9fe::] [::ffff:0:169.254.169.254]'),
    ...hosts('[fd00:ec2::254] [FD00:0EC2::0254]'),
    ...hosts('[fd20:ce::254] [fe80::a9fe:a9fe] [fd00:c1::a9fe:a9fe] [fd00:42::42] 169.254.170.2 100.100.100.200'),
    ...hosts('1684301000 192.0.0.192 168.63.129.16'),
    ...hosts('metadata METADATA. metadata.google.internal Metadata.Google.Internal. metadata.goog instance-data'),
    ...hosts('metadat%61 met\u00adadata'),
  ]);
});

test('no setting allows addresses that cannot have a page: unspecified, link-local, multicast, reserved', () => {
  assertVerdicts('RRR', [
    ...hosts('0.0.0.0 0 0x0 00 0.0 000.000.000.000 0.1.2.3 [::] [0:0:0:0:0:0:0:0] [::0] [::ffff:0.0.0.0]'),
    ...hosts('[::ffff:0:0]'),
    ...hosts('169.254.0.1 [fe80::1] [febf:ffff::1] [FE80:0:0::1] 224.0.0.1 239.255.255.250 [ff02::1] [ff0e::1]'),
    ...hosts('[::ffff:224.0.0.1]'),
    ...hosts('240.0.0.1 255.255.255.255 4294967295 0xffffffff 037777777777 [::ffff:255.255.255.255]'),
  ]);
});

test('no setting allows an IPv4 address inside an IPv6 one, not even a public one', () => {
  assertVerdicts('RRR', [
    ...hosts('[::7f00:1] [::127.0.0.1] [::8.8.8.8] [::808:808] [::ffff:0:8.8.8.8] [::ffff:0:7f00:1]'),
    ...hosts('[64:ff9b::8.8.8.8] [64:ff9b::7f00:1] [64:ff9b:1::1] [64:ff9b:1:ffff::1] [2002:808:808::1]'),
    ...hosts('[2002:7f00:1::] [2002::] [2001::1] [2001:0:4136:e378::] [::2] [::ffff] [::1:0] [0:0:0:0:0:0:1:1]'),
  ]);
});

test('an address that is not globally reachable is private, under any setting', () => {
  assertVerdicts('RRA', [
    ...hosts('10.0.0.1 10.1 167772161 0xa.1 012.1 172.16.0.1 172.31.255.255 192.168.0.1 3232235521 100.64.0.1'),
    ...hosts('100.127.255.255'),
    ...hosts('192.0.0.1 192.0.0.9 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 192.88.99.1'),
    ...hosts('[::ffff:10.0.0.1] [::ffff:c0a8:1]'),
    ...hosts('[fc00::1] [fd12:3456::1] [fec0::1] [100::1] [100:0:0:1::1] [2001:db8::1] [2001:2::1] [2001:10::1]'),
    ...hosts('[2001:20::1] [2001:30::1] [3fff::1] [3fff:fff::1] [5f00::1] [4000::1] [1fff::1] [1::1] [e000::1]'),
    ...hosts('[fe00::1] [200::1] [65:ff9b::8.8.8.8] [64:ff9a::1]'),
  ]);
  assertVerdicts('RAA', [
    ...hosts('10.20.0.1 10.20.255.255 169083649 0xa.0x14.1 [::ffff:10.20.3.4] [::ffff:0a14:1] 10.20.1'),
  ]);
});

test('local and special names are local', () => {
  assertVerdicts('RRA', [
    ...hosts('printer printer. a.local a.LOCAL. a.lan a.home a.corp a.mail a.internal a.test a.example a.invalid'),
    ...hosts('a.onion a.alt a.home.arpa a.intranet a.private a.localdomain web.default.svc x.app.internal'),
    ...hosts('a.loc%61l a.loc\u00adal \uff50rinter xn--nxasmq6b'),
  ]);
  assertVerdicts('RAA', [...hosts('app.internal APP.internal. %61pp.internal app\u3002internal \uff41pp.internal')]);
});

test('public pages are public, however they are written', () => {
  assertVerdicts('AAA', [
    ...hosts('example.com EXAMPLE.COM. ex%61mple.com example\u3002com \uff45xample.com b\u00fccher.example.com'),
    ...hosts('xn--bcher-kva.example.com fa\u00df.de'),
    ...hosts('8.8.8.8 134744072 0x08080808 010.010.010.010 [::ffff:8.8.8.8] [2606:4700::1111] [2001:200::1]'),
    ...hosts('[2a00:1450::] [2001:4860:4860:0:0:0:0:8888]'),
    ...hosts('localhost.example.com metadata.example.com 127.0.0.1.example.com notlocalhost.com'),
    ...hosts('169-254-169-254.example.com app.internal.example.com a_b.example.com 1.example.com'),
    ...hosts('0x7f.example.com'),
    ...[
      'https://example.com:443',
      'http://example.com:8000/',
      'http://example.com:8080/a?b#c',
      'HTTP://example.com',
      '  http://example.com  ',
    ],
    ...'http://example.com/@169.254.169.254/ http://example.com/?@127.0.0.1 http://example.com/#@127.0.0.1'.split(' '),
    ...'http://example.com/..//127.0.0.1/ http://example.com/\\127.0.0.1 http://example.com/%00'.split(' '),
    ...'http://example.com/\u202e'.split(' '),
  ]);
});

test('this service is blocked on its own port in every spelling, others on that port are not', () => {
  const own = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '127.9.9.9',
    '[::1]',
    '[0:0::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    '0.0.0.0',
    '0',
    '[::]',
  ];
  assertVerdicts(
    'RRR',
    own.flatMap(host => [`http://${host}:8000/`, `https://${host}:08000/x`]),
  );
  assertVerdicts('AAA', ['http://example.com:8000/']);
});

test('hosts that no browser accepts are not URLs', () => {
  assertVerdicts('P', [
    ...hosts('1.2.3.256 127.0.0.1.1 0x100000000 040000000000 0x7g.1 09 a.0x7 a.7 1.2.3.4.5.'),
    ...hosts('256.0.0.1 1.2.3.4.5 4294967296 127.0.0.09 127..1 .127.0.0.1 127.0.0.1.. a.09'),
    ...hosts('[] [ ] [::1 ::1] ::1 fe80::1 [:::1] [::1::] [1:2:3:4:5:6:7] [1:2:3:4:5:6:7:8:9] [12345::] [g::]'),
    ...hosts('[::127.0.0] [::127.0.0.01] [::127.0.0.256] [127.0.0.1] [localhost] [::1]a a[::1] [::1]. [[::1]]'),
    ...hosts('[::%31]'),
    ...hosts('[fe80::1%eth0] [fe80::1%25eth0] [::1%lo] [::1%25] [::1%]'),
    ...hosts('. .. a..b .a a.. a\u0000b a\u007fb a%00b a%20b a%0ab a%2fb a%3ab a%40b a%5cb a%23b a%3fb a%5bb'),
    ...hosts('a%25b a%zz a^b a|b a<b a>b % %ff %c0%ae'),
    ...['', 'a b', 'a\tb', 'a\nb', 'a\rb'].map(toUrl),
    ...hosts('a\u202eb.com a\u2066b.com \u200f.com \ufffd.com \u00ad'),
    ...[`${'a'.repeat(64)}.com`, `${'a.'.repeat(127)}com`].map(toUrl),
  ]);
});

test('a URL is rejected if parsers disagree on any part around its host', () => {
  assertVerdicts('P', [
    ...'http://a@example.com http://:@example.com http://@example.com http://example.com@127.0.0.1/'.split(' '),
    ...'http://127.0.0.1@example.com http://a:b@example.com http://a%40b@example.com'.split(' '),
    ...'http://example.com\\@127.0.0.1/ http://127.0.0.1\\example.com http:\\\\127.0.0.1 http:/\\127.0.0.1'.split(' '),
    ...'http:/127.0.0.1 http:127.0.0.1 http:///127.0.0.1 http:////127.0.0.1 //127.0.0.1 \\\\127.0.0.1'.split(' '),
    ...'/\\127.0.0.1'.split(' '),
    ...[
      'h\ttp://127.0.0.1',
      'http:\t//127.0.0.1',
      'http://127.0.0.1\n',
      '\u0000http://127.0.0.1',
      'http://127.0.0.1\u0000',
      '\tjavascript:1',
      'http://127.\t0.0.1',
      '\u00a0http://127.0.0.1',
      '\ufeffhttp://127.0.0.1',
      '\u2028http://127.0.0.1',
    ],
    ...[
      'http://127.0.0.1:0',
      'http://127.0.0.1:65536',
      'http://127.0.0.1:-1',
      'http://127.0.0.1:80a',
      'http://127.0.0.1: 80',
      'http://127.0.0.1:80:80',
      'http://127.0.0.1:%38%30',
      'http://127.0.0.1:\uff18\uff10',
    ],
    ...[1, 7, 22, 25, 53, 110, 143, 465, 587, 6000, 6667, 10_080].map(port => `http://127.0.0.1:${port}/`),
    ...'file:///etc/passwd file://127.0.0.1/x ftp://127.0.0.1 gopher://127.0.0.1:6379/_ dict://127.0.0.1'.split(' '),
    ...'ldap://127.0.0.1 ws://127.0.0.1 wss://127.0.0.1 blob:http://127.0.0.1/x data:text/html,x'.split(' '),
    ...'javascript:1 about:blank chrome://version chrome-extension://a/b view-source:http://127.0.0.1'.split(' '),
    ...'devtools://x jar:http://127.0.0.1!/ intent://127.0.0.1 filesystem:http://127.0.0.1/x'.split(' '),
    ...'httpss://127.0.0.1 https\uff1a//127.0.0.1 http\u200b://127.0.0.1'.split(' '),
    ...[
      '',
      ' ',
      'http',
      'http:',
      'http:/',
      'http://',
      'http:// ',
      'http://?',
      'http://#',
      'http:///',
      '127.0.0.1',
      'localhost',
      'localhost:3000',
      'example.com',
    ],
    ...[
      'http://\ud800/',
      'http://example.com/\udc00',
      `http://example.com/${'a'.repeat(2048)}`,
      `http://example.com/${'\u00e4'.repeat(400)}`,
    ],
  ]);
});
