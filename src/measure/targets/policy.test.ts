import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy, type PolicySettings, parseTargets, type TargetPolicy, type Targets } from './policy.ts';

const LIST: Targets = ['app.internal', 'localhost', '10.20.0.0/16', '127.0.0.0/8', '::1/128'];
const SETTINGS: readonly Targets[] = ['public', LIST, 'any'];

function build(targets: Targets, more: Omit<PolicySettings, 'targets'> = {}): TargetPolicy {
  return createPolicy({ targets, localAddresses: () => [], ...more });
}

/** One letter for each setting, in the order public, list, any: A allowed, R refused. */
function judgedUrl(href: string): string {
  return SETTINGS.map(targets => (build(targets).judgeUrl(href).allowed ? 'A' : 'R')).join('');
}

function judgedAnswers(host: string, addresses: readonly string[], port = 80): string {
  return SETTINGS.map(targets => (build(targets).judgeAddresses(host, port, addresses).allowed ? 'A' : 'R')).join('');
}

function reasonOf(verdict: ReturnType<TargetPolicy['judgeUrl']>): string {
  assert.ok(!verdict.allowed);
  return verdict.reason;
}

test('a URL is checked by its literal address and its name', () => {
  const cases: [string, string][] = [
    ['https://example.com/', 'AAA'],
    ['https://example.com./', 'AAA'],
    ['http://8.8.8.8:8080/', 'AAA'],
    ['http://[2606:4700:4700::1111]/', 'AAA'],
    ['https://internal.example.com/', 'AAA'],
    ['https://notlocalhost.com/', 'AAA'],
    ['http://10.20.3.4/', 'RAA'],
    ['http://10.21.0.1/', 'RRA'],
    ['http://[::ffff:10.20.3.4]/', 'RAA'],
    ['http://127.0.0.1:3000/', 'RAA'],
    ['http://0x7f.1/', 'RAA'],
    ['http://[::1]:3000/', 'RAA'],
    ['http://localhost:3000/', 'RAA'],
    ['http://LOCALHOST./', 'RAA'],
    ['http://a.b.localhost/', 'RAA'],
    ['http://app.internal/', 'RAA'],
    ['http://APP.internal./', 'RAA'],
    ['http://sub.app.internal/', 'RRA'],
    ['http://printer/', 'RRA'],
    ['http://printer.local/', 'RRA'],
    ['http://site.test/', 'RRA'],
    ['http://site.example/', 'RRA'],
    ['http://nas.lan/', 'RRA'],
    ['http://nas.corp/', 'RRA'],
    ['http://router.home.arpa/', 'RRA'],
    ['http://web.default.svc/', 'RRA'],
    ['http://web.default.svc.cluster.local/', 'RRA'],
    ['http://192.168.0.1/', 'RRA'],
    ['http://100.64.0.1/', 'RRA'],
    ['http://[fd12::1]/', 'RRA'],
    ['http://[4000::1]/', 'RRA'],
  ];
  for (const [href, expected] of cases) assert.equal(judgedUrl(href), expected, href);
});

test('invariant: no setting opens metadata, link-local, unspecified, multicast, reserved or embedded addresses', () => {
  const hosts = [
    ...[
      '169.254.169.254',
      '169.254.1.1',
      '100.100.100.200',
      '168.63.129.16',
      '0.0.0.0',
      '0.1.2.3',
      '224.0.0.1',
      '240.0.0.1',
    ],
    ...[
      '[::]',
      '[fe80::1]',
      '[ff02::1]',
      '[::7f00:1]',
      '[64:ff9b::808:808]',
      '[2002:808:808::]',
      '[2001::1]',
      '[fd00:ec2::254]',
    ],
    ...['metadata', 'METADATA.google.internal.', 'metadata.goog', 'instance-data', '[::ffff:169.254.169.254]'],
  ];
  for (const host of hosts) assert.equal(judgedUrl(`http://${host}/`), 'RRR', host);
  const everything = build(['0.0.0.0/0', '::/0', 'metadata', 'metadata.google.internal', '169.254.169.254']);
  for (const host of hosts) assert.equal(everything.judgeUrl(`http://${host}/`).allowed, false, host);
});

test('a URL that is not a page is rejected without an exception', () => {
  const hrefs = [
    '',
    'example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'chrome://version',
    'ftp://example.com/',
    'http://',
  ];
  for (const href of hrefs) assert.equal(judgedUrl(href), 'RRR', href);
  for (const href of ['http://example.com:22/', 'http://example.com:0/', 'http://a..b/'])
    assert.equal(judgedUrl(href), 'RRR', href);
});

test('every answer of the resolver must be allowed', () => {
  const cases: [string, string[], string][] = [
    ['example.com', ['93.184.216.34'], 'AAA'],
    ['example.com', ['93.184.216.34', '2606:4700::1111'], 'AAA'],
    ['example.com', ['93.184.216.34', '10.20.0.1'], 'RAA'],
    ['example.com', ['93.184.216.34', '192.168.0.1'], 'RRA'],
    ['example.com', ['192.168.0.1', '93.184.216.34'], 'RRA'],
    ['example.com', ['93.184.216.34', '169.254.169.254'], 'RRR'],
    ['example.com', ['::ffff:169.254.169.254'], 'RRR'],
    ['example.com', ['0.0.0.0'], 'RRR'],
    ['example.com', ['64:ff9b::808:808'], 'RRR'],
    ['example.com', ['fe80::1%eth0'], 'RRR'],
    ['example.com', ['127.1'], 'RRR'],
    ['example.com', [''], 'RRR'],
    ['example.com', [], 'RRR'],
    ['localtest.me', ['127.0.0.1'], 'RAA'],
    ['app.internal', ['10.20.0.9'], 'RAA'],
    ['app.internal', ['93.184.216.34'], 'RAA'],
    ['app.internal', ['10.99.0.7'], 'RRA'],
    ['other.internal', ['10.20.0.9'], 'RRA'],
    ['localhost', ['127.0.0.1', '::1'], 'RAA'],
    ['127.0.0.1', ['127.0.0.1'], 'RAA'],
    ['::1', ['::1'], 'RAA'],
    ['[::1]', ['::1'], 'RAA'],
    ['metadata', ['93.184.216.34'], 'RRR'],
  ];
  for (const [host, addresses, expected] of cases)
    assert.equal(judgedAnswers(host, addresses), expected, `${host} ${addresses}`);
});

test('each check of the answers also checks the host and port of the CONNECT line', () => {
  assert.equal(judgedAnswers('169.254.169.254', ['93.184.216.34']), 'RRR');
  assert.equal(judgedAnswers('127.1', ['93.184.216.34']), 'RAA');
  assert.equal(judgedAnswers('example.com', ['93.184.216.34'], 22), 'RRR');
  for (const host of ['', 'a b', 'a/b', 'a@b', 'a:80', '[::1', 'fe80::1%eth0', 'a..b', '.']) {
    assert.equal(judgedAnswers(host, ['93.184.216.34']), 'RRR', host);
  }
});

test('a listed host allows only that name, a listed address only that address', () => {
  const nameOnly = build(['app.internal']);
  assert.equal(nameOnly.judgeUrl('http://app.internal/').allowed, true);
  assert.equal(nameOnly.judgeAddresses('app.internal', 80, ['10.0.0.1']).allowed, false);
  const addressOnly = build(['127.0.0.1', 'fd12::7']);
  assert.equal(addressOnly.judgeUrl('http://127.0.0.1/').allowed, true);
  assert.equal(addressOnly.judgeUrl('http://127.0.0.2/').allowed, false);
  assert.equal(addressOnly.judgeUrl('http://[fd12::7]/').allowed, true);
  assert.equal(addressOnly.judgeUrl('http://localhost/').allowed, false);
  const half = build(['app.internal', '127.0.0.0/8']);
  assert.equal(half.judgeAddresses('app.internal', 80, ['127.0.0.1']).allowed, true);
  assert.equal(half.judgeAddresses('app.internal', 80, ['127.0.0.1', '::1']).allowed, false);
  assert.equal(build([]).judgeUrl('http://10.0.0.1/').allowed, false);
});

test('a listed localhost allows its addresses, and no others', () => {
  for (const [listed, url] of [
    ['localhost', 'http://localhost:3000/'],
    ['localhost', 'http://app.localhost:3000/'],
    ['app.localhost', 'http://app.localhost:3000/'],
  ] as const) {
    const policy = build([listed]);
    assert.equal(policy.judgeUrl(url).allowed, true, url);
    const { hostname } = new URL(url);
    assert.equal(policy.judgeAddresses(hostname, 3000, ['127.0.0.1', '::1']).allowed, true, url);
    assert.equal(policy.judgeAddresses(hostname, 3000, ['127.0.0.1', '10.0.0.1']).allowed, false, url);
    for (const other of ['http://10.0.0.1/', 'http://[fd00::1]/', 'http://printer.local/', 'http://169.254.1.1/'])
      assert.equal(policy.judgeUrl(other).allowed, false, other);
  }
  assert.equal(build(['app.localhost']).judgeUrl('http://localhost/').allowed, false, 'only the name that is listed');
});

test("the service's own port is blocked on every address of this machine", () => {
  const more = { ownPort: () => 8080, localAddresses: () => ['192.168.1.5', '203.0.113.80', '2606:4700::5'] };
  for (const targets of SETTINGS) {
    const policy = build(targets, more);
    const hosts = [
      'localhost',
      'x.localhost',
      '127.0.0.1',
      '127.9.9.9',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '192.168.1.5',
      '[2606:4700::5]',
    ];
    for (const host of [...hosts, '[::ffff:127.0.0.1]', '[::ffff:c0a8:105]']) {
      const reason = reasonOf(policy.judgeUrl(`http://${host}:8080/cache/clear`));
      assert.match(reason, /is this service/, host);
    }
    const answers = ['127.0.0.1', '192.168.1.5', '2606:4700::5', '::ffff:127.0.0.1'];
    for (const answer of answers)
      assert.match(reasonOf(policy.judgeAddresses('example.com', 8080, [answer])), /is this service/);
    assert.equal(policy.judgeAddresses('example.com', 8080, ['93.184.216.34']).allowed, true);
    assert.equal(policy.judgeUrl('http://example.com:8080/').allowed, true);
  }
  assert.equal(build('any', more).judgeUrl('http://localhost:3000/').allowed, true);
  assert.equal(build('any', { ownPort: () => undefined }).judgeUrl('http://localhost:8080/').allowed, true);
  assert.equal(build('any', { ownPort: () => 80 }).judgeUrl('http://localhost/').allowed, false);
  assert.equal(build('any', { ownPort: () => 443 }).judgeUrl('https://localhost/').allowed, false);
});

test('the addresses of the network interfaces are the default', () => {
  const policy = createPolicy({ targets: 'any', ownPort: () => 8080 });
  assert.equal(policy.judgeUrl('http://127.0.0.1:8080/').allowed, false);
  assert.equal(policy.judgeUrl('http://93.184.216.34:8080/').allowed, true);
});

test('whether a page is public does not depend on the setting', () => {
  for (const targets of SETTINGS) {
    const { isPublicUrl } = build(targets);
    for (const href of ['https://example.com/', 'http://8.8.8.8/', 'http://[2606:4700::1]/'])
      assert.ok(isPublicUrl(href), href);
    const hosts = [
      'localhost',
      'app.internal',
      '10.20.3.4',
      '[::1]',
      '127.1',
      'printer',
      'nas.local',
      '169.254.169.254',
      'metadata.goog',
    ];
    for (const host of hosts) assert.ok(!isPublicUrl(`http://${host}/`), host);
    assert.ok(!isPublicUrl('file:///etc/passwd'));
  }
});

test('reasons name the host and the remedy, and do not reveal its addresses', () => {
  const policy = build('public');
  assert.equal(
    reasonOf(policy.judgeUrl('http://10.0.0.1/')),
    '10.0.0.1 is a private address, which the TARGETS setting does not allow.',
  );
  assert.equal(
    reasonOf(policy.judgeUrl('http://app.test/')),
    'app.test is a local name, which the TARGETS setting does not allow.',
  );
  assert.match(reasonOf(policy.judgeUrl('http://0.0.0.0:3000/')), /write localhost instead\.$/);
  assert.equal(
    reasonOf(policy.judgeAddresses('example.com', 443, ['10.1.2.3'])),
    'example.com resolves to a private address, which the TARGETS setting does not allow.',
  );
});

test('the TARGETS setting is public, any or a list', () => {
  assert.equal(parseTargets(' Public '), 'public');
  assert.equal(parseTargets('ANY'), 'any');
  assert.deepEqual(parseTargets('app.internal, 10.20.0.0/16,,::1'), ['app.internal', '10.20.0.0/16', '::1']);
  assert.deepEqual(parseTargets('public,LOCALHOST,[::1]'), ['localhost', '[::1]']);
  const policy = build(parseTargets('bücher.internal, LOCALHOST, [::1], 10.20.3.4/16'));
  assert.equal(policy.judgeUrl('http://xn--bcher-kva.internal/').allowed, true);
  assert.equal(policy.judgeUrl('http://localhost/').allowed, true);
  assert.equal(policy.judgeUrl('http://10.20.99.1/').allowed, true);
});

test('an invalid TARGETS setting is rejected with every invalid item', () => {
  for (const text of ['', '  ', ', ,']) assert.throws(() => parseTargets(text), /^Error: is empty/);
  assert.throws(() => parseTargets('any,localhost'), /'any' in a list/);
  const items = [
    'app:3000',
    '[::1]:3000',
    'http://app/',
    '*.internal',
    '10.0.0.0/33',
    '127.1',
    '::ffff:10.0.0.1',
    'a b',
    'user@host',
    'a..b',
  ];
  assert.throws(
    () => parseTargets(`localhost,${items.join(',')}`),
    (error: Error) => {
      for (const item of items)
        assert.ok(error.message.includes(`'${item}'`), `${item} is missing in: ${error.message}`);
      assert.ok(!error.message.includes("'localhost'"));
      assert.match(error.message, /'app:3000' \(ports are not supported/);
      assert.match(error.message, /'\[::1\]:3000' \(ports are not supported/);
      assert.match(error.message, /'127\.1' \(write the IPv4 address with its four/);
      return true;
    },
  );
  assert.throws(() => createPolicy({ targets: ['10.0.0.0/33'] }), /'10\.0\.0\.0\/33'/);
});
