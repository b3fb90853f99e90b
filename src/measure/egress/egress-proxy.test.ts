/** Tunnels, limits and the end of an audit's egress, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { openEgress } from '../../../test/support/surroundings/open-egress.ts';
import {
  ask,
  connected,
  connectTo,
  greeting,
  isRefused,
  openOwnEgress,
  openTunnel,
  publicAddress,
  readToEnd,
  readUntil,
  sendBytes,
  siteUrl,
  toRequest,
} from '../../../test/support/surroundings/own-egress.ts';
import { createOwnNetwork, startRawServer } from '../../../test/support/surroundings/own-network.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { createPolicy } from '../targets/policy.ts';
import { usualEgressLimits } from './egress-proxy.ts';

const echo = (socket: Socket) => void socket.pipe(socket);
const isAtMostGreeted = (received: string) => received === '' || received === greeting;
const startEcho = async (t: TestContext) => openOwnEgress(t, (await startRawServer(t, echo)).port);

test('a tunnel transfers bytes both ways, including those sent with its request', async t => {
  const { egress, network } = await startEcho(t);
  const client = await openTunnel(t, egress, 'www.example.com:443', 'at once');
  assert.equal(await readUntil(client, 'at once'), 'at once');
  client.write('and later');
  assert.equal(await readUntil(client, 'later'), 'and later');
  assert.deepEqual(network.dialled, [`${publicAddress} 443`]);
});

test('a request that arrives byte by byte is understood', async t => {
  const { egress } = await startEcho(t);
  const client = await connectTo(t, egress);
  for (const byte of toRequest('www.example.com:80', 'x')) {
    client.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  assert.equal(await readUntil(client, 'x'), `${connected}x`);
});

test('an odd answer passes as it is, byte for byte', async t => {
  const answer = Buffer.from(
    'HTTP/1.1 099 \u0001\r\nContent-Length: 1\r\n: x\r\nno colon\nA B: \u0000\u00ff\r\n\r\nok',
    'latin1',
  );
  const { port } = await startRawServer(t, socket => void socket.once('data', () => socket.end(answer)));
  const { egress } = await openOwnEgress(t, port);
  assert.equal(await ask(t, egress, siteUrl), answer.toString('latin1'));
});

test('bytes other than a request for a connection by name are closed without a tunnel', async t => {
  const { egress, network } = await startEcho(t);
  const proper = toRequest('www.example.com:80');
  const changed = (at: number, to: number) => Buffer.from(proper).fill(to, at, at + 1);
  const requests: (string | Buffer)[] = [
    ...['GET http://www.example.com/ HTTP/1.1\r\nHost: x\r\n\r\n', 'CONNECT www.example.com:443 HTTP/1.1\r\n\r\n'],
    ...['\u0016\u0003\u0001\u0000', 'x'.repeat(300_000), changed(0, 4), changed(3, 4), changed(4, 2), changed(4, 3)],
    ...[changed(6, 1), changed(6, 4)],
  ];
  for (const bytes of requests)
    assert.ok(isAtMostGreeted(await sendBytes(t, egress, bytes)), bytes.slice(0, 20).toString());
  for (let length = 0; length < proper.length; length += 1) {
    const client = await connectTo(t, egress);
    client.end(proper.subarray(0, length));
    assert.ok(isAtMostGreeted(await readToEnd(client)), `the first ${length} bytes`);
  }
  assert.deepEqual(network.dialled, []);
});

test('a target that is no host and port is refused', async t => {
  const { egress, network } = await startEcho(t);
  const hosts = ['', ' ', '/', 'a..b', 'user@www.example.com', 'www.example.com/x', '[::1', '256.1.1.1', 'a b', 'x\0y'];
  for (const host of [...hosts, 'http://www.example.com', 'www.example.com:80'])
    assert.ok(await isRefused(t, egress, `${host}:80`), host);
  assert.deepEqual(network.dialled, []);
});

test('an internal endpoint is blocked in every spelling, and blocked ports everywhere', async t => {
  const { port } = await startRawServer(t, echo);
  const { egress, network } = await openOwnEgress(t, port);
  const inside = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0177.1',
    '0x7f000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::7f00:1]',
  ];
  const more = ['localhost', 'LOCALHOST.', 'a.localhost', '10.0.0.1', '169.254.169.254', '[fe80::1]', 'metadata', '0'];
  for (const host of [...inside, ...more]) assert.ok(await isRefused(t, egress, `${host}:${port}`), host);
  const badPorts = [0, 1, 22, 25, 6000, 10_080];
  for (const bad of badPorts) assert.ok(await isRefused(t, egress, `www.example.com:${bad}`), String(bad));
  assert.deepEqual(network.dialled, []);
  assert.equal((await egress.about(siteUrl)).blocked, inside.length + more.length + badPorts.length);
  assert.equal((await egress.about(`http://localhost:${port}/`)).refusal?.reason, 'blocked');
});

test('a half-closed tunnel still delivers the other direction', async t => {
  const { port } = await startRawServer(t, socket => {
    socket.resume().on('end', () => socket.end('said after the end'));
  });
  const { egress } = await openOwnEgress(t, port);
  const client = await openTunnel(t, egress, 'www.example.com:443');
  const received = readToEnd(client);
  client.end('all I have');
  assert.equal(await received, 'said after the end');
});

test('if a server ends first, all its bytes are delivered, however slow the reader', async t => {
  const size = 20_000_000;
  const { port } = await startRawServer(t, socket => void socket.resume().end(Buffer.alloc(size)));
  const { egress } = await openOwnEgress(t, port);
  const client = await openTunnel(t, egress, 'www.example.com:443');
  let received = 0;
  for await (const piece of client) {
    received += piece.length;
    await new Promise(setImmediate);
  }
  assert.equal(received, size);
});

test('both sides of an ended tunnel are closed', async t => {
  const { port, sockets } = await startRawServer(t, socket => void socket.resume().end('bye'));
  const { egress } = await openOwnEgress(t, port);
  const client = await openTunnel(t, egress, 'www.example.com:443');
  const [server] = sockets;
  const closed = once(client, 'close');
  assert.equal(await readToEnd(client), 'bye');
  client.end();
  await closed;
  if (server && !server.closed) await once(server, 'close');
});

test('a reset is passed on to the other side, in both directions', async t => {
  const { port, sockets } = await startRawServer(t, socket => void socket.write('hello'));
  const { egress } = await openOwnEgress(t, port);
  const first = await openTunnel(t, egress, 'www.example.com:443');
  await readUntil(first, 'hello');
  const failed = new Promise<Error>(resolve => first.once('error', resolve));
  for (const socket of sockets) socket.resetAndDestroy();
  first.resume();
  assert.match(String(await failed), /ECONNRESET/);

  const second = await openTunnel(t, egress, 'www.example.com:443');
  await readUntil(second, 'hello');
  const [server] = sockets;
  const closed = new Promise<void>(resolve => server?.once('close', () => resolve()));
  second.resetAndDestroy();
  server?.resume();
  await closed;
});

test('a browser that disconnects while its tunnel is being opened leaves no connection', async t => {
  const opening = Promise.withResolvers<void>();
  const slow = new Socket();
  const own = createOwnNetwork({ 'www.example.com': [publicAddress] });
  const network = {
    ...own,
    connect: () => {
      opening.resolve();
      return slow;
    },
  };
  const { port } = await startRawServer(t, socket => void socket.resume().on('end', () => socket.end()));
  const { egress } = await openOwnEgress(t, port, { network });
  const client = await connectTo(t, egress);
  client.write(toRequest('www.example.com:443'));
  await opening.promise;
  client.destroy();
  const closed = new Promise<void>(resolve => slow.once('close', () => resolve()));
  // The proxy must have seen the client go before the server answers: another exchange shows that it has.
  await sendBytes(t, egress, 'no request');
  slow.connect(port, '127.0.0.1');
  await closed;
});

test('the reason for a refusal is known for each endpoint, and a trailing dot does not change a name', async t => {
  const { port } = await startRawServer(t, echo);
  const network = createOwnNetwork(
    { 'www.example.com': [publicAddress], 'gone.example.com': ['93.184.216.40'] },
    { [publicAddress]: port, '93.184.216.40': 'refused' },
  );
  const { egress, notes } = await openOwnEgress(t, port, { network });
  for (const host of ['10.0.0.1', 'nobody.example.com', 'gone.example.com.'])
    assert.ok(await isRefused(t, egress, `${host}:443`), host);
  const urls = ['https://10.0.0.1/', 'https://nobody.example.com./x?y', 'https://gone.example.com/'];
  const reasons = await Promise.all(urls.map(async url => (await egress.about(url)).refusal?.reason));
  assert.deepEqual(reasons, ['blocked', 'unknown_name', 'refused']);
  assert.equal((await egress.about('https://www.example.com/')).refusal, undefined);
  assert.equal((await egress.about('about:blank')).refusal, undefined);
  assert.deepEqual(
    notes.map(({ reason, host, port }) => `${reason} ${host} ${port}`),
    ['blocked 10.0.0.1 443', 'unknown_name nobody.example.com 443', 'refused gone.example.com 443'],
  );
});

test('only internal endpoints are hidden from clients, and only from clients that may be remote', async t => {
  const { port } = await startRawServer(t, echo);
  const startUrl = `http://127.0.0.1:${port}/`;
  const open = await openOwnEgress(t, port, { startUrl });
  const hiding = await openOwnEgress(t, port, { startUrl, hidesInside: true });
  for (const { egress } of [open, hiding]) (await openTunnel(t, egress, 'www.example.com:443')).destroy();
  assert.equal((await open.egress.about(startUrl)).isDiscreet, false);
  assert.equal((await hiding.egress.about(startUrl)).isDiscreet, true);
  assert.equal((await hiding.egress.about('https://www.example.com/')).isDiscreet, false);
  assert.equal((await hiding.egress.about('about:blank')).isDiscreet, false);
});

test('an audit above its byte limit ends, and all its connections', async t => {
  const { port } = await startRawServer(t, socket => void socket.resume().write(Buffer.alloc(600_000)));
  const { egress } = await openOwnEgress(t, port, { bytes: 1_000_000 });
  const first = await openTunnel(t, egress, 'www.example.com:443');
  await once(first.resume(), 'data');
  assert.ok(!egress.exhausted.aborted);
  const second = await openTunnel(t, egress, 'www.example.com:80');
  await Promise.all([readToEnd(first), readToEnd(second)]);
  const reason: unknown = egress.exhausted.reason;
  assert.ok(reason instanceof AnalysisError);
  assert.equal(reason.code, 'page_too_large');
  assert.match(reason.message, /more than 1 MB/);
  assert.equal(usualEgressLimits.bytes, 100_000_000);
});

const sinks = [
  { limit: 'in total', limits: { bytes: 1_000_000 }, told: /loads and sends more than 1 MB/ },
  { limit: 'within a second', limits: { sentBytesPerSecond: 1_000_000 }, told: /sends more than 1 MB within a second/ },
];

for (const { limit, limits, told } of sinks)
  test(`an audit whose page sends too much ${limit} ends, and all its connections`, async t => {
    let arrived = 0;
    const { port } = await startRawServer(
      t,
      socket =>
        void socket.on('data', chunk => {
          arrived += chunk.length;
        }),
    );
    const { egress } = await openOwnEgress(t, port, limits);
    const clients = await Promise.all([443, 80].map(each => openTunnel(t, egress, `www.example.com:${each}`)));
    await Promise.all(
      clients.map(client => {
        client.on('error', () => {}).write(Buffer.alloc(3_000_000));
        return readToEnd(client);
      }),
    );
    assert.equal((egress.exhausted.reason as AnalysisError).code, 'page_too_large');
    assert.match((egress.exhausted.reason as AnalysisError).message, told);
    assert.ok(arrived < 2_000_000);
  });

test('a waiting request gets a connection when another is closed', async t => {
  const { port } = await startRawServer(t, echo);
  const { egress, network } = await openOwnEgress(t, port, { connections: 2 });
  const [first, second] = await Promise.all([1, 2].map(() => openTunnel(t, egress, 'www.example.com:443')));
  const third = openTunnel(t, egress, 'www.example.com:443');
  // An exchange that comes after it shows that it had its chance.
  await sendBytes(t, egress, 'no request');
  assert.equal(network.dialled.length, 2);
  first?.destroy();
  await third;
  assert.equal(network.dialled.length, 3);
  assert.ok(second && !second.destroyed);
});

test('closing ends everything: tunnels, connection attempts, and the proxy', async t => {
  const { port, sockets } = await startRawServer(t, echo);
  const { egress } = await openOwnEgress(t, port);
  const client = await openTunnel(t, egress, 'www.example.com:443');
  const idle = await connectTo(t, egress);
  const gone = Promise.all(
    [client, idle, ...sockets].map(socket => new Promise(resolve => socket.once('close', resolve))),
  );
  for (const socket of [client, idle]) socket.resume();
  egress.close();
  egress.close();
  client.end();
  idle.end();
  await gone;
  await assert.rejects(connectTo(t, egress));
});

test('an opening obeys its abort signal, and fails if the name does not resolve', async () => {
  const policy = createPolicy({ targets: 'any' });
  const disconnect = new AbortController();
  const silent = { ...createOwnNetwork({}), resolve: () => new Promise<string[]>(() => {}) };
  const opening = openEgress({ startUrl: siteUrl, policy, network: silent, signal: disconnect.signal });
  disconnect.abort(new Error('gone'));
  await assert.rejects(opening, /gone/);
  const unknown = openEgress({
    startUrl: siteUrl,
    policy,
    network: createOwnNetwork({}),
    signal: new AbortController().signal,
  });
  await assert.rejects(unknown, { reason: 'unknown_name' });
});
