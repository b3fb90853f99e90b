/**
 * The policy against a second implementation: a plain table of what the IANA registries for special-purpose addresses
 * (RFC 6890 and its updates) say is not globally reachable, and arithmetic.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toEndpoint } from './endpoint.ts';
import { toPageUrl } from './page-url.ts';
import { createPolicy, type Targets } from './policy.ts';

const NOT_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4', '255.255.255.255/32', '168.63.129.16/32'],
];
/** Within the block that holds all global unicast addresses; outside of it nothing is. */
const GLOBAL_V6 = '2000::/3';
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const octetsToNumber = (text: string): bigint => text.split('.').reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);

/** Groups left and right of `::`, the dotted end as two of them. */
function groupsToNumber(text: string): bigint {
  const dotted = /[\d.]+\.\d+$/.exec(text)?.[0];
  const tail = dotted ? octetsToNumber(dotted) : 0n;
  const hex = dotted
    ? text.slice(0, -dotted.length) + [tail >> 16n, tail & 0xffffn].map(group => group.toString(16)).join(':')
    : text;
  const [left = [], right = []] = hex.split('::').map(side => side.split(':').filter(group => group !== ''));
  const groups = hex.includes('::') ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right] : left;
  assert.equal(groups.length, 8, text);
  return groups.reduce<bigint>((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

const isInBlock = (address: bigint, block: string): boolean => {
  const [network = '', bits] = block.split('/');
  const isV4 = !network.includes(':');
  const shift = BigInt((isV4 ? 32 : 128) - Number(bits));
  return address >> shift === (isV4 ? octetsToNumber(network) : groupsToNumber(network)) >> shift;
};

function isPublicByTable(text: string): boolean {
  if (!text.includes(':')) return !NOT_PUBLIC_V4.some(block => isInBlock(octetsToNumber(text), block));
  const address = groupsToNumber(text);
  if (address >> 32n === 0xffffn) return !NOT_PUBLIC_V4.some(block => isInBlock(address & 0xffff_ffffn, block));
  return isInBlock(address, GLOBAL_V6) && !NOT_PUBLIC_V6.some(block => isInBlock(address, block));
}

const strict = createPolicy({ targets: 'public', localAddresses: () => [] });
const SETTINGS: readonly Targets[] = ['public', ['app.internal', '10.20.0.0/16', '::1'], 'any'];
const POLICIES = SETTINGS.map(targets => createPolicy({ targets, localAddresses: () => [], ownPort: () => 8000 }));

const octet = fc.integer({ min: 0, max: 255 });
const v4 = fc.oneof(
  fc.tuple(octet, octet, octet, octet),
  // Near the edges of the blocks, where a wrong prefix would show.
  fc
    .tuple(fc.constantFrom(...NOT_PUBLIC_V4), fc.integer({ min: -2, max: 2 }), fc.boolean())
    .map(([block, step, isEnd]) => {
      const [network = '', bits] = block.split('/');
      const size = 1n << BigInt(32 - Number(bits));
      const at = BigInt.asUintN(32, octetsToNumber(network) + (isEnd ? size : 0n) + BigInt(step));
      return [24n, 16n, 8n, 0n].map(shift => Number((at >> shift) & 255n)) as [number, number, number, number];
    }),
);
const dottedOf = (octets: readonly number[]) => octets.join('.');
const toNumber = (octets: readonly number[]) => octets.reduce((sum, part) => sum * 256 + part, 0);
const spell = (value: number, base: number): string =>
  base === 16 ? `0x${value.toString(16)}` : base === 8 ? `0${value.toString(8)}` : String(value);

/** One of the ways in which a URL may write an IPv4 address: each part in a base of its own, the last ones together. */
const spelled = fc
  .tuple(v4, fc.integer({ min: 1, max: 4 }), fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 }))
  .map(([octets, parts, bases]) => {
    const heads = octets.slice(0, parts - 1);
    const values = [...heads, toNumber(octets.slice(parts - 1))];
    return { ip: dottedOf(octets), text: values.map((value, at) => spell(value, bases[at] ?? 10)).join('.') };
  });

const group = fc.integer({ min: 0, max: 0xffff }).map(value => value.toString(16));
const v6 = fc.oneof(
  fc.ipV6(),
  fc
    .tuple(
      fc.constantFrom(
        '2000',
        '2001:0',
        '2001:1',
        '2001:2',
        '2001:db8',
        '2001:1ff',
        '2001:200',
        '2002',
        '3ffe',
        '3fff',
        '3fff:1000',
        '3fff:fff',
        '4000',
        '1fff',
        '2606:4700',
      ),
      group,
    )
    .map(([prefix, end]) => `${prefix}::${end}`),
  fc
    .tuple(
      fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', '2002::', 'fe80::', 'fd00::', '2606::'),
      v4,
    )
    .map(([prefix, octets]) => `${prefix}${dottedOf(octets)}`),
);
const seed = 20_261_121;

test('the table has the well-known blocks', () => {
  for (const ip of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8', '2001:200::1'])
    assert.ok(isPublicByTable(ip), ip);
  for (const ip of [
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    '::',
    'fe80::1',
    '::ffff:10.0.0.1',
    '2002:808:808::',
    '64:ff9b::808:808',
  ])
    assert.ok(!isPublicByTable(ip), ip);
});

test('property: no spelling of an IPv4 address that is not public in the table is allowed, and public ones are', () => {
  const property = fc.property(spelled, ({ ip, text }) => {
    const url = toPageUrl(`http://${text}/`);
    assert.ok('href' in url, text);
    assert.equal(url.href, `http://${ip}/`);
    assert.equal(strict.judgeUrl(url.href).allowed, isPublicByTable(ip), `${text} is ${ip}`);
    const endpoint = toEndpoint(text, 443);
    assert.equal(endpoint?.host, ip);
    assert.equal(strict.judgeAddresses('example.com', 443, [ip]).allowed, isPublicByTable(ip));
  });
  fc.assert(property, { seed, numRuns: 3_000 });
});

test('property: no IPv6 address that is not public in the table is allowed, and public ones are', () => {
  const property = fc.property(v6, ip => {
    const expected = isPublicByTable(ip);
    assert.equal(strict.judgeAddresses('example.com', 443, [ip]).allowed, expected, ip);
    const url = toPageUrl(`http://[${ip}]/`);
    assert.ok('href' in url, ip);
    assert.equal(strict.judgeUrl(url.href).allowed, expected, ip);
    assert.equal(strict.judgeUrl(`http://[${ip.toUpperCase()}]/`).allowed, expected, ip);
  });
  fc.assert(property, { seed, numRuns: 5_000 });
});

/** Strings that come near to a URL: its pieces, and whatever else. */
const nearUrl = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'http://',
        'https://',
        'HTTP:',
        '//',
        '/',
        '\\',
        '@',
        ':',
        '?',
        '#',
        '[',
        ']',
        '.',
        '%',
        '%2e',
        '%00',
        '::',
        '::ffff:',
      ),
      fc.constantFrom(
        '127.0.0.1',
        'localhost',
        'example.com',
        '0x7f',
        '017',
        '1',
        '\uff0e',
        '\u3002',
        '\u00ad',
        '\u202e',
        'xn--',
        '\u0000',
        '\t',
        ' ',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 8 },
  )
  .map(pieces => pieces.join(''));

test('property: no string makes the checks throw; their canonical form is a fixed point with one verdict', () => {
  const property = fc.property(fc.oneof(nearUrl, fc.string({ unit: 'binary' }), fc.webUrl()), text => {
    for (const policy of POLICIES) {
      policy.judgeUrl(text);
      policy.judgeAddresses(text, 80, [text]);
      policy.auditPolicyFor(text, [text]).judgeUrl(text);
    }
    const url = toPageUrl(text);
    if ('fault' in url) return;
    assert.deepEqual(toPageUrl(url.href), url);
    for (const policy of POLICIES) assert.deepEqual(policy.judgeUrl(new URL(url.href).href), policy.judgeUrl(url.href));
    const { hostname } = new URL(url.href);
    const literal = hostname.replace(/^\[|\]$/g, '');
    const isLiteral = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
    if (isLiteral && strict.judgeUrl(url.href).allowed) assert.ok(isPublicByTable(literal), url.href);
  });
  fc.assert(property, { seed, numRuns: 10_000 });
});

test('property: DNS answers are allowed only if each is public, whatever the others', () => {
  const property = fc.property(fc.array(fc.oneof(v4.map(dottedOf), v6), { minLength: 1, maxLength: 5 }), answers => {
    assert.equal(strict.judgeAddresses('example.com', 443, answers).allowed, answers.every(isPublicByTable));
  });
  fc.assert(property, { seed, numRuns: 3_000 });
});

test('property: the policy of an audit never allows more than the policy it was made from', () => {
  const address = fc.oneof(v4.map(dottedOf), v6);
  const host = fc.constantFrom('www.example.com', 'app.internal', 'localhost', '93.184.216.34');
  const property = fc.property(host, fc.array(address, { maxLength: 3 }), address, (own, start, ip) => {
    for (const policy of POLICIES) {
      const auditPolicy = policy.auditPolicyFor(own, start);
      const isAllowed = auditPolicy.judgeAddresses('example.com', 80, [ip]).allowed;
      if (isAllowed) assert.ok(policy.judgeAddresses('example.com', 80, [ip]).allowed);
      if (isAllowed && start.some(isPublicByTable)) assert.ok(isPublicByTable(ip), `${start} then ${ip}`);
    }
  });
  fc.assert(property, { seed, numRuns: 2_000 });
});
