import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type AddressClass, classifyAddress, isInRanges, isNeverAllowed, isSameAddress, toRange } from './address.ts';

const CASES: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    '8.8.8.8',
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '168.63.129.15',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '2606:4700:4700::1111',
    '2A00:1450:4001:830::200E',
    '2001:200::1',
  ],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.0',
    '100.127.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '::ffff:10.0.0.1',
    'fc00::1',
    'fdff:ffff::1',
    'fec0::1',
    '100::1',
    '100:0:0:1::1',
    '2001:2::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    '1fff::1',
  ],
  loopback: [
    '127.0.0.1',
    '127.0.0.0',
    '127.255.255.255',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::FFFF:7f00:1',
  ],
  link_local: [
    '169.254.0.1',
    '169.254.170.2',
    '169.254.255.255',
    'fe80::1',
    'febf::1',
    'fe80::1%eth0',
    '::ffff:169.254.0.1',
  ],
  metadata: [
    '169.254.169.254',
    '::ffff:a9fe:a9fe',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    'fd00:a9fe:a9fe::1',
    'fd00:100::100:200',
  ],
  unspecified: ['0.0.0.0', '0.1.2.3', '0.255.255.255', '::', '::ffff:0.0.0.0'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
  reserved: [
    '240.0.0.1',
    '255.255.255.255',
    '',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.0.0.1.',
    ' 127.0.0.1',
    '[::1]',
    '::1%lo',
    '2606:4700::1%eth0',
  ],
  embedded: [
    '::2',
    '::7f00:1',
    '::8.8.8.8',
    '::127.0.0.1',
    '::ffff:0:7f00:1',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '64:ff9b::808:808',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001::1',
  ],
};

for (const [expected, addresses] of Object.entries(CASES)) {
  test(`${expected} addresses are recognized in every spelling and at the edges of their ranges`, () => {
    for (const address of addresses) assert.equal(classifyAddress(address), expected, address);
  });
}

test('only public, private and loopback addresses can be allowed', () => {
  const classes = [
    'public',
    'private',
    'loopback',
    'link_local',
    'metadata',
    'unspecified',
    'multicast',
    'reserved',
    'embedded',
  ];
  assert.deepEqual(Object.keys(CASES).toSorted(), classes.toSorted());
  const allowed = (Object.keys(CASES) as AddressClass[]).filter(addressClass => !isNeverAllowed(addressClass));
  assert.deepEqual(allowed.toSorted(), ['loopback', 'private', 'public']);
});

test('blocks compare bytes, and a single address is a block of one', () => {
  const blocks = ['10.20.0.0/16', '192.0.2.7', 'fd12::/16', '::1'].flatMap(text => toRange(text) ?? []);
  assert.equal(blocks.length, 4);
  for (const ip of ['10.20.0.0', '10.20.255.255', '::ffff:10.20.3.4', '192.0.2.7', 'fd12:3::4', '0:0::1'])
    assert.ok(isInRanges(ip, blocks), ip);
  for (const ip of ['10.19.255.255', '10.21.0.0', '192.0.2.8', 'fd13::1', '::2', '10.20.1', ''])
    assert.ok(!isInRanges(ip, blocks), ip);
});

test('an invalid block is rejected', () => {
  const inputs = [
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/a',
    '10.1/16',
    '::1/129',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0',
    'app',
  ];
  for (const input of inputs) assert.equal(toRange(input), undefined, input);
});

test('all spellings of an address are equal', () => {
  assert.ok(isSameAddress('192.168.1.5', '::ffff:c0a8:105'));
  assert.ok(isSameAddress('2001:DB8::1', '2001:db8:0::1'));
  assert.ok(!isSameAddress('192.168.1.5', '192.168.1.6'));
  assert.ok(!isSameAddress('', ''));
});

test('property: the spelling of an address does not change its class', () => {
  // Regression: ipaddr.js 2.5.0 reads the dotted ::8.8.8.8 as the IPv4-mapped ::ffff:8.8.8.8.
  const prefixes = fc.constantFrom(
    '::',
    '::ffff:',
    '::ffff:0:',
    '64:ff9b::',
    'fd00::',
    'fe80::',
    '2606:4700::',
    'ff02::',
  );
  const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 255 })));
  const property = fc.property(prefixes, octets, (prefix, [a = 0, b = 0, c = 0, d = 0]) => {
    const hex = `${prefix}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16).toUpperCase()}`;
    assert.equal(classifyAddress(`${prefix}${a}.${b}.${c}.${d}`), classifyAddress(hex), hex);
  });
  fc.assert(property, { seed: 20_260_103, numRuns: 1000 });
});

test('property: an IPv4-mapped address is classified as its IPv4 address, and no string throws', () => {
  const seed = 20_260_102;
  fc.assert(
    fc.property(fc.ipV4(), ip => assert.equal(classifyAddress(`::ffff:${ip}`), classifyAddress(ip))),
    { seed, numRuns: 1000 },
  );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.ipV6(), fc.ipV4Extended()), text => {
      assert.ok(classifyAddress(text) in CASES);
    }),
    { seed, numRuns: 2000 },
  );
});
