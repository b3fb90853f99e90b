import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { createOwnNetwork, startRawServer } from '../../../test/support/surroundings/own-network.ts';
import { createPolicy, type Targets } from '../targets/policy.ts';
import { DialError, type DialNetwork, type DialReason, dial, resolveHost, usualDialLimits } from './dial.ts';

const publicAddress = '93.184.216.34';
const otherAddress = '93.184.216.35';
const never = new AbortController().signal;
const policyOf = (targets: Targets) => createPolicy({ targets, localAddresses: () => [] });

const withReason = (reason: DialReason) => (error: unknown) => {
  assert.ok(error instanceof DialError, String(error));
  assert.equal(error.reason, reason);
  return true;
};

/** Times that pass at once, or never. */
const limits = { lookupMs: 60_000, connectMs: 60_000, staggerMs: 60_000 };

test('a literal address is not looked up', async () => {
  const network = createOwnNetwork({});
  for (const literal of ['127.0.0.1', '::1', '::ffff:10.0.0.1', '169.254.169.254'])
    assert.deepEqual(await resolveHost(network, literal, never), [literal]);
  assert.deepEqual(network.lookups, []);
});

test('a name has every answer of the resolver, in order', async () => {
  const network = createOwnNetwork({ 'a.example.com': [otherAddress, '::1', publicAddress] });
  assert.deepEqual(await resolveHost(network, 'a.example.com', never), [otherAddress, '::1', publicAddress]);
});

test('a host name with no DNS answer, or an empty one, is unknown', async () => {
  const network = createOwnNetwork({ 'empty.example.com': [] });
  await assert.rejects(resolveHost(network, 'nobody.example.com', never), withReason('unknown_name'));
  await assert.rejects(resolveHost(network, 'empty.example.com', never), withReason('unknown_name'));
});

test('a lookup without an answer times out, and is cancelled', async () => {
  const stopped = Promise.withResolvers<void>();
  const silent: DialNetwork = {
    ...createOwnNetwork({}),
    resolve: (_host, signal) => {
      signal.addEventListener('abort', () => stopped.resolve());
      return new Promise(() => {});
    },
  };
  await assert.rejects(resolveHost(silent, 'a.example.com', never, { lookupMs: 1 }), withReason('timeout'));
  await stopped.promise;
  assert.equal(usualDialLimits.lookupMs, 5_000);
});

test('a client that disconnects ends a lookup and a connection attempt, and starts none', async () => {
  const reason = new Error('cancelled');
  const cancel = new AbortController();
  const silent: DialNetwork = { resolve: () => new Promise(() => {}), connect: () => new Socket() };
  const lookup = resolveHost(silent, 'a.example.com', cancel.signal, limits);
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress] };
  const dialling = dial(silent, policyOf('public'), target, cancel.signal, limits);
  cancel.abort(reason);
  await assert.rejects(lookup, reason);
  await assert.rejects(dialling, reason);
  const network = createOwnNetwork({});
  await assert.rejects(dial(network, policyOf('public'), target, cancel.signal), reason);
  assert.deepEqual(network.dialled, []);
});

test('one forbidden answer among several blocks them all, and nothing is dialled', async () => {
  const network = createOwnNetwork({});
  const forbidden = [
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    '169.254.169.254',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
  ];
  for (const address of forbidden) {
    for (const addresses of [[address], [publicAddress, address], [address, publicAddress]]) {
      const target = { host: 'a.example.com', port: 80, addresses };
      await assert.rejects(dial(network, policyOf('public'), target, never), withReason('blocked'), address);
    }
  }
  assert.deepEqual(network.dialled, []);
});

test('the host and port of the target are checked, too', async () => {
  const network = createOwnNetwork({});
  const refused = [
    ['metadata.google.internal', 80],
    ['10.0.0.1', 80],
    ['a.example.com', 22],
    ['a.example.com', 0],
  ] as const;
  for (const [host, port] of refused) {
    const target = { host, port, addresses: [publicAddress] };
    await assert.rejects(dial(network, policyOf('public'), target, never), withReason('blocked'), host);
  }
  assert.deepEqual(network.dialled, []);
});

test('after an address refuses, the next one is tried immediately', async t => {
  const { port } = await startRawServer(t, () => {});
  const network = createOwnNetwork({}, { [publicAddress]: 'refused', [otherAddress]: port });
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress, otherAddress] };
  const socket = await dial(network, policyOf('public'), target, never, limits);
  assert.deepEqual(network.dialled, [`${publicAddress} 80`, `${otherAddress} 80`]);
  socket.destroy();
});

test('after a silent address, the next one is tried shortly, and the first is closed', async t => {
  const { port } = await startRawServer(t, () => {});
  const silent = new Socket();
  const network: DialNetwork = {
    ...createOwnNetwork({}),
    connect: address => (address === publicAddress ? silent : createOwnNetwork({}).connect('127.0.0.1', port)),
  };
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress, otherAddress] };
  const socket = await dial(network, policyOf('public'), target, never, { ...limits, staggerMs: 1 });
  assert.ok(silent.destroyed);
  assert.ok(!socket.destroyed);
  socket.destroy();
});

test('a slow first address is still used', async t => {
  const { port } = await startRawServer(t, () => {});
  const slow = new Socket();
  const network: DialNetwork = {
    ...createOwnNetwork({}),
    connect: address => {
      if (address === publicAddress) return slow;
      slow.connect(port, '127.0.0.1');
      return new Socket();
    },
  };
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress, otherAddress] };
  assert.equal(await dial(network, policyOf('public'), target, never, { ...limits, staggerMs: 1 }), slow);
  slow.destroy();
});

test('if all addresses refuse, the connection is refused; if one is silent, it times out; no socket stays open', async () => {
  const network = createOwnNetwork({}, { [publicAddress]: 'refused', [otherAddress]: 'refused' });
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress, otherAddress] };
  await assert.rejects(dial(network, policyOf('public'), target, never, limits), withReason('refused'));

  const silent = new Socket();
  const half: DialNetwork = {
    ...network,
    connect: address => (address === otherAddress ? silent : network.connect(address, 80)),
  };
  await assert.rejects(
    dial(half, policyOf('public'), target, never, { ...limits, connectMs: 20 }),
    withReason('timeout'),
  );
  assert.ok(silent.destroyed);
  assert.equal(usualDialLimits.connectMs, 10_000);
});

test('an open socket that fails later causes no harm', async t => {
  const { port } = await startRawServer(t, () => {});
  const network = createOwnNetwork({}, { [publicAddress]: port });
  const target = { host: 'a.example.com', port: 80, addresses: [publicAddress] };
  const socket = await dial(network, policyOf('public'), target, never, limits);
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  socket.write('x');
  socket.destroy(new Error('cut off'));
  await closed;
});
