import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Scope } from '../../../test/support/start-service.ts';
import { createOwnNetwork, type OwnNetwork, startRawServer } from '../../../test/support/surroundings/own-network.ts';
import type { Endpoint } from '../targets/endpoint.ts';
import { createPolicy, type Targets } from '../targets/policy.ts';
import { DialError, type DialNetwork, type DialReason } from './dial.ts';
import {
  createEgressReach,
  type EgressReach,
  type ReachLimits,
  type ReachOptions,
  type RefusalNote,
  usualReachLimits,
} from './reach.ts';

const publicAddress = '93.184.216.34';
const never = new AbortController().signal;
const start: Endpoint = { host: 'www.example.com', port: 80 };
const localStart: Endpoint = { host: '127.0.0.1', port: 3000 };

const build = (
  network: DialNetwork,
  more: {
    targets?: Targets;
    start?: Endpoint;
    signal?: AbortSignal;
    limits?: ReachLimits;
    notes?: RefusalNote[];
  } & Pick<ReachOptions, 'hosts'> = {},
): Promise<EgressReach> =>
  createEgressReach({
    start: more.start ?? start,
    hosts: more.hosts,
    policy: createPolicy({ targets: more.targets ?? 'any', localAddresses: () => [], ownPort: () => 8000 }),
    network,
    signal: more.signal ?? never,
    limits: more.limits ?? usualReachLimits,
    note: refusal => void more.notes?.push(refusal),
  });

const startSite = async (scope: Scope) => (await startRawServer(scope, () => {})).port;

async function refusedAs(reach: EgressReach, endpoint: Endpoint): Promise<DialReason> {
  const error = await reach.open(endpoint).then(
    socket => {
      socket.destroy();
      throw new Error(`${endpoint.host} was reached`);
    },
    (error: unknown) => error,
  );
  assert.ok(error instanceof DialError, String(error));
  assert.equal(reach.refusals.of(endpoint)?.reason, error.reason);
  return error.reason;
}

async function reaches(reach: EgressReach, endpoint: Endpoint): Promise<void> {
  const socket = await reach.open(endpoint);
  assert.equal(reach.refusals.of(endpoint), undefined);
  socket.destroy();
}

test('rebinding: a name is resolved once for each audit, so a second answer is never used', async t => {
  const site = await startSite(t);
  const network = createOwnNetwork({ 'www.example.com': [[publicAddress], ['127.0.0.1']] }, { [publicAddress]: site });
  const reach = await build(network);
  for (const host of ['www.example.com', 'www.example.com', 'www.example.com'])
    await reaches(reach, { host, port: 80 });
  await reaches(reach, { host: 'www.example.com', port: 443 });
  assert.deepEqual(network.lookups, ['www.example.com']);
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`, `${publicAddress} 443`]);
});

test('rebinding: a name used late is resolved late, once, and checked in public-only mode too', async t => {
  const site = await startSite(t);
  const names = {
    'www.example.com': [publicAddress],
    'late.example.com': [['127.0.0.1'], [publicAddress]],
    'turn.example.com': [[publicAddress], ['127.0.0.1']],
  };
  const network = createOwnNetwork(names, { [publicAddress]: site });
  const reach = await build(network);
  await reaches(reach, start);
  assert.deepEqual(network.lookups, ['www.example.com']);
  const late = { host: 'late.example.com', port: site };
  const turn = { host: 'turn.example.com', port: site };
  for (const _ of [1, 2]) assert.equal(await refusedAs(reach, late), 'blocked');
  for (const _ of [1, 2]) await reaches(reach, turn);
  assert.deepEqual(network.lookups, ['www.example.com', 'late.example.com', 'turn.example.com']);
  assert.ok(network.dialled.every(dialled => dialled.startsWith(publicAddress)));
});

test('concurrent uses of a name share one lookup', async t => {
  const site = await startSite(t);
  const network = createOwnNetwork(
    { 'www.example.com': [publicAddress], 'b.example.com': [publicAddress] },
    { [publicAddress]: site },
  );
  const reach = await build(network);
  await Promise.all(Array.from({ length: 20 }, () => reaches(reach, { host: 'b.example.com', port: 80 })));
  assert.deepEqual(network.lookups, ['www.example.com', 'b.example.com']);
});

test('an audit of a public page reaches public addresses only, whatever TARGETS allows', async t => {
  const site = await startSite(t);
  const names = {
    'www.example.com': [publicAddress],
    'in.example.com': ['10.20.0.5'],
    localhost: ['127.0.0.1', '::1'],
  };
  const endpoints: Endpoint[] = [
    ...['127.0.0.1', '::1', '::ffff:7f00:1', '10.20.0.5', '192.168.1.1', 'fd00::1', '169.254.169.254'],
    ...['localhost', 'in.example.com', 'app.internal', 'printer', 'metadata.google.internal', '0.0.0.0'],
  ].map(host => ({ host, port: site }));
  const list: Targets = [
    'localhost',
    'app.internal',
    '127.0.0.0/8',
    '::1',
    '10.20.0.0/16',
    'fd00::/8',
    '192.168.0.0/16',
  ];
  for (const targets of ['public', 'any', list] as const) {
    const network = createOwnNetwork(names, { [publicAddress]: site });
    const reach = await build(network, { targets });
    for (const endpoint of endpoints) assert.equal(await refusedAs(reach, endpoint), 'blocked', endpoint.host);
    assert.equal(reach.refusals.blocked, endpoints.length);
    assert.deepEqual(network.dialled, []);
    // What is refused by its name is not looked up: the lookup alone would give something away.
    assert.deepEqual(network.lookups, ['www.example.com', 'in.example.com']);
    await reaches(reach, start);
  }
});

test('an internal page on a public address is reached if TARGETS allows its name, and so are other allowed names', async t => {
  const site = await startSite(t);
  const names = {
    'app.internal': [publicAddress, '10.20.0.5'],
    'cdn.internal': [publicAddress],
    'db.internal': ['10.20.0.6'],
    intranet: [publicAddress],
  };
  const begin = (host: string, targets: Targets) =>
    build(createOwnNetwork(names, { [publicAddress]: site }), { targets, start: { host, port: site } });
  for (const host of ['app.internal', 'intranet']) {
    const reach = await begin(host, 'any');
    await reaches(reach, { host, port: site });
    await reaches(reach, { host: 'cdn.internal', port: site });
    for (const inside of ['db.internal', '10.20.0.5', '127.0.0.1', 'localhost'])
      assert.notEqual(await refusedAs(reach, { host: inside, port: site }), undefined, inside);
  }
  const listed = await begin('intranet', ['intranet']);
  await reaches(listed, { host: 'intranet', port: site });
  assert.equal(await refusedAs(listed, { host: 'cdn.internal', port: site }), 'blocked', 'it is not listed');
  await assert.rejects(begin('app.internal', ['app.internal']), DialError, 'one of its addresses is not listed');
  await assert.rejects(begin('intranet', 'public'), DialError);
});

test("an audit of an allowed local page reaches what TARGETS allows, and never metadata or the service's own port", async t => {
  const site = await startSite(t);
  const names = {
    'api.internal': ['10.20.0.5'],
    'cdn.example.com': [publicAddress],
    'meta.example.com': ['169.254.169.254'],
  };
  const ends = { [publicAddress]: site, '10.20.0.5': site, '10.99.0.1': site };
  const any = await build(createOwnNetwork(names, ends), { start: localStart });
  const listed = await build(createOwnNetwork(names, ends), {
    start: localStart,
    targets: ['127.0.0.0/8', 'api.internal', '10.20.0.0/16'],
  });
  for (const reach of [any, listed]) {
    await reaches(reach, { host: '127.0.0.1', port: site });
    await reaches(reach, { host: 'api.internal', port: 80 });
    await reaches(reach, { host: 'cdn.example.com', port: 443 });
    for (const host of ['169.254.169.254', 'metadata', 'meta.example.com', 'fe80::1', '0.0.0.0', '::7f00:1'])
      assert.equal(await refusedAs(reach, { host, port: 80 }), 'blocked', host);
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', '::ffff:7f00:1', 'localhost'])
      assert.equal(await refusedAs(reach, { host, port: 8000 }), 'blocked', host);
  }
  await reaches(any, { host: '10.99.0.1', port: 80 });
  assert.equal(await refusedAs(listed, { host: '10.99.0.1', port: 80 }), 'blocked');
});

test('a public start URL whose name also has a private answer never reaches internal addresses', async t => {
  const site = await startSite(t);
  const answers = [
    [publicAddress, '127.0.0.1'],
    ['127.0.0.1', publicAddress],
  ];
  for (const addresses of answers) {
    for (const targets of ['any', ['127.0.0.0/8']] as const) {
      const network = createOwnNetwork({ 'www.example.com': addresses }, { [publicAddress]: site });
      const reach = await build(network, { targets });
      await reaches(reach, { host: 'www.example.com', port: site });
      assert.equal(await refusedAs(reach, { host: '127.0.0.1', port: site }), 'blocked');
      assert.deepEqual(network.dialled, [`${publicAddress} ${site}`]);
    }
    const network = createOwnNetwork({ 'www.example.com': addresses }, { [publicAddress]: site });
    await assert.rejects(build(network, { targets: 'public' }), { reason: 'blocked' });
    assert.deepEqual(network.dialled, []);
  }
});

test('a start URL with a listed name, at an address outside the list, is blocked', async () => {
  const network = createOwnNetwork({ 'app.internal': ['10.99.0.7'] });
  const app = { host: 'app.internal', port: 80 };
  const opening = build(network, { start: app, targets: ['app.internal', '10.20.0.0/16'] });
  await assert.rejects(opening, { reason: 'blocked' });
  assert.deepEqual(network.dialled, []);
});

test('a start URL that does not resolve opens nothing, and is logged', async () => {
  const notes: RefusalNote[] = [];
  await assert.rejects(build(createOwnNetwork({}), { notes }), /does not resolve/);
  assert.deepEqual(
    notes.map(({ reason, host, port }) => [reason, host, port]),
    [['unknown_name', 'www.example.com', 80]],
  );
});

test('every refusal is logged once, with its true reason', async () => {
  const notes: RefusalNote[] = [];
  const names = { 'www.example.com': [publicAddress], 'gone.example.com': ['93.184.216.40'] };
  const reach = await build(createOwnNetwork(names, { '93.184.216.40': 'refused' }), { notes });
  const endpoints = ['10.0.0.1', 'nobody.example.com', 'gone.example.com'].map(host => ({ host, port: 80 }));
  for (const endpoint of [...endpoints, ...endpoints]) await refusedAs(reach, endpoint);
  assert.deepEqual(
    notes.map(({ reason, host }) => [reason, host]),
    [
      ['blocked', '10.0.0.1'],
      ['unknown_name', 'nobody.example.com'],
      ['refused', 'gone.example.com'],
    ],
  );
  assert.equal(reach.refusals.blocked, 2);
});

test('a page with many endpoints fills neither the log nor the memory', async () => {
  const notes: RefusalNote[] = [];
  const limits = { ...usualReachLimits, names: 150 };
  const network = createOwnNetwork({ 'www.example.com': [publicAddress] });
  const reach = await build(network, { notes, limits });
  for (let at = 0; at < 300; at += 1)
    assert.equal(await refusedAs(reach, { host: `n${at}.example.com`, port: 80 }), at < 149 ? 'unknown_name' : 'limit');
  assert.deepEqual(reach.refusals.givenUp, ['n149.example.com', 'n150.example.com', 'n151.example.com']);
  assert.equal(network.lookups.length, 150);
  assert.equal(notes.length, 100);
  assert.equal(reach.refusals.of({ host: 'n0.example.com', port: 80 }), undefined);
  assert.equal(reach.refusals.of({ host: 'n299.example.com', port: 80 })?.reason, 'limit');
});

test('the number of concurrent lookups is limited', async () => {
  let running = 0;
  let most = 0;
  const gate = Promise.withResolvers<void>();
  const network: OwnNetwork = {
    ...createOwnNetwork({}),
    resolve: async host => {
      if (host === start.host) return [publicAddress];
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      return ['10.0.0.1'];
    },
  };
  const reach = await build(network, { limits: { ...usualReachLimits, lookups: 3 } });
  const opened = Array.from({ length: 12 }, (_, at) => refusedAs(reach, { host: `n${at}.example.com`, port: 80 }));
  gate.resolve();
  assert.deepEqual(new Set(await Promise.all(opened)), new Set(['blocked']));
  assert.equal(most, 3);
});

test('a connection beyond the limit waits until another is closed', async t => {
  const site = await startSite(t);
  const network = createOwnNetwork({ 'www.example.com': [publicAddress] }, { [publicAddress]: site });
  const reach = await build(network, { limits: { ...usualReachLimits, connections: 2 } });
  const [first, second] = await Promise.all([reach.open(start), reach.open(start)]);
  const waiting = reach.open(start);
  // Enough turns for it to have been dialled, were there no limit.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.equal(network.dialled.length, 2);
  first.destroy();
  const third = await waiting;
  assert.equal(network.dialled.length, 3);
  for (const socket of [second, third]) socket.destroy();
  assert.equal(usualReachLimits.connections, 256);
});

test('the end of an audit ends its connections, which is not a refusal', async () => {
  const notes: RefusalNote[] = [];
  const ending = new AbortController();
  const names = { 'www.example.com': [publicAddress] };
  const reach = await build(createOwnNetwork(names, { [publicAddress]: 'silent' }), { signal: ending.signal, notes });
  const opening = reach.open(start);
  const [ended] = await Promise.all([assert.rejects(opening, /over/), ending.abort(new Error('over'))]);
  assert.equal(ended, undefined);
  await assert.rejects(reach.open(start), /over/);
  assert.deepEqual([notes, reach.refusals.of(start)], [[], undefined]);
});

test('an endpoint is internal if one of its addresses is not public', async t => {
  const site = await startSite(t);
  const names = {
    localhost: ['127.0.0.1'],
    'mixed.example.com': [publicAddress, '10.0.0.1'],
    'cdn.example.com': [publicAddress],
  };
  const reach = await build(createOwnNetwork(names, { [publicAddress]: site, '10.0.0.1': site }), {
    start: { host: 'localhost', port: site },
  });
  for (const host of ['mixed.example.com', 'cdn.example.com', '127.0.0.1']) await reaches(reach, { host, port: site });
  const hosts = ['localhost', 'mixed.example.com', 'cdn.example.com', '127.0.0.1', 'unseen.example.com'];
  assert.deepEqual(
    hosts.filter(host => reach.isInside({ host, port: 1 })),
    ['localhost', 'mixed.example.com', '127.0.0.1'],
  );
});

test('a closed connection makes room for another, even if it failed', async t => {
  const { port } = await startRawServer(t, socket => socket.resetAndDestroy());
  const network = createOwnNetwork({ 'www.example.com': [publicAddress] }, { [publicAddress]: port });
  const reach = await build(network, { limits: { ...usualReachLimits, connections: 1 } });
  for (let turn = 0; turn < 5; turn += 1) {
    const socket = await reach.open(start).catch(() => undefined);
    if (socket && !socket.closed) await once(socket, 'close');
  }
  assert.equal(network.dialled.length, 5);
});

test('a mapped name is not resolved, and judged by the address at which its socket opens', async t => {
  const site = await startSite(t);
  const names = { 'inside.example.com': ['10.0.0.5'], 'outside.example.com': [publicAddress] };
  const network = createOwnNetwork(names, { [publicAddress]: site });
  const hosts = {
    'www.example.com': `outside.example.com:${site}`,
    'cdn.example.com': '10.0.0.5',
    'api.example.com': 'inside.example.com',
    'keys.example.com': '169.254.169.254',
    'own.example.com': '127.0.0.1:8000',
  };
  const reach = await build(network, { hosts });
  await reaches(reach, start);
  assert.deepEqual(network.dialled, [`${publicAddress} ${site}`]);
  // The page is public, so no other name of it leads into the network, although TARGETS allows any.
  for (const host of ['cdn.example.com', 'api.example.com', 'keys.example.com', 'own.example.com'])
    assert.equal(await refusedAs(reach, { host, port: 80 }), 'blocked', host);
  assert.deepEqual(network.dialled, [`${publicAddress} ${site}`]);
  for (const address of ['10.0.0.5', '169.254.169.254', 'inside.example.com'])
    await assert.rejects(build(network, { targets: 'public', hosts: { 'www.example.com': address } }), {
      reason: 'blocked',
    });
  await assert.rejects(build(network, { hosts: { 'www.example.com': '127.0.0.1:8000' } }), { reason: 'blocked' });
});
