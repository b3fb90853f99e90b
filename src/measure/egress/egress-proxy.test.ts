/** Tunnels, limits and the end of an audit's egress, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import {
  connectTo,
  createProxiedClient,
  openOwnEgress,
  openTunnel,
  publicAddress,
  readToEnd,
  readUntil,
  sendBytes,
  siteUrl,
} from '../../../test/support/surroundings/own-egress.ts';
import { createOwnNetwork, startRawServer } from '../../../test/support/surroundings/own-network.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { createPolicy } from '../targets/policy.ts';
import { openEgress, usualEgressLimits } from './egress-proxy.ts';

const toPort = (url: string) => Number(new URL(url).port);
const echo = (socket: Socket) => void socket.pipe(socket);
const greet = `GET /chat HTTP/1.1\r\nHost: www.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`;

test('a tunnel transfers bytes both ways, including those sent with its request', async t => {
  const { port } = await startRawServer(t, echo);
  const { egress, network } = await openOwnEgress(t, port);
  const client = await connectTo(t, egress);
  client.write('CONNECT www.example.com:443 HTTP/1.1\r\nHost: www.example.com:443\r\n\r\nat once');
  assert.match(await readUntil(client, 'at once'), /^HTTP\/1\.1 200 [^\r]*\r\n\r\nat once$/);
  client.write('and later');
  assert.equal(await readUntil(client, 'later'), 'and later');
  assert.deepEqual(network.dialled, [`${publicAddress} 443`]);
});

test('plain WebSockets pass, as browsers send them through a tunnel to port 80', async t => {
  const { url } = await startLocalServer(t, (_request, response) => response.writeHead(426).end());
  const { port } = await startRawServer(t, socket =>
    socket.once('data', () => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
      echo(socket);
    }),
  );
  const { egress } = await openOwnEgress(t, port);
  const client = await openTunnel(t, egress, 'www.example.com:80');
  client.write(greet);
  assert.match(await readUntil(client, '\r\n\r\n'), /^HTTP\/1\.1 101 /);
  client.write('frames');
  assert.equal(await readUntil(client, 'frames'), 'frames');
  assert.ok(url);
});

test('a request other than CONNECT to a host and port is closed without an answer', async t => {
  const { port } = await startRawServer(t, echo);
  const { egress, network } = await openOwnEgress(t, port);
  const targets = [
    '',
    '/',
    'www.example.com',
    'www.example.com:',
    ':443',
    'www.example.com:99999',
    'a@www.example.com:443',
  ];
  const more = [
    'www.example.com:443/path',
    'http://www.example.com:443',
    '::1:443',
    '[::1:443',
    'a..b:443',
    'x'.repeat(70_000),
  ];
  for (const target of [...targets, ...more])
    assert.equal(await sendBytes(t, egress, `CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`), '', target);
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
  for (const host of [...inside, ...more])
    assert.equal(await sendBytes(t, egress, `CONNECT ${host}:${port} HTTP/1.1\r\n\r\n`), '', host);
  const badPorts = [0, 1, 22, 25, 6000, 10_080];
  for (const bad of badPorts)
    assert.equal(await sendBytes(t, egress, `CONNECT www.example.com:${bad} HTTP/1.1\r\n\r\n`), '', String(bad));
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
  client.write('CONNECT www.example.com:443 HTTP/1.1\r\n\r\n');
  await opening.promise;
  client.destroy();
  const closed = new Promise<void>(resolve => slow.once('close', () => resolve()));
  // The proxy must have seen the client go before the server answers: another exchange shows that it has.
  await sendBytes(t, egress, 'GET / HTTP/1.1\r\n\r\n');
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
    await sendBytes(t, egress, `CONNECT ${host}:443 HTTP/1.1\r\n\r\n`);
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

test('an audit above its byte limit ends, over http and in a tunnel', async t => {
  const { url } = await startLocalServer(t, (_request, response) => response.end(Buffer.alloc(600_000)));
  const { port } = await startRawServer(t, socket => void socket.resume().write(Buffer.alloc(600_000)));
  const plain = await openOwnEgress(t, toPort(url), { bytes: 1_000_000 });
  const ask = createProxiedClient(t, plain.egress);
  assert.equal((await ask(siteUrl)).body.length, 600_000);
  assert.ok(!plain.egress.exhausted.aborted);
  await assert.rejects(ask(siteUrl));

  const tunnelled = await openOwnEgress(t, port, { bytes: 1_000_000 });
  const first = await openTunnel(t, tunnelled.egress, 'www.example.com:443');
  const second = await openTunnel(t, tunnelled.egress, 'www.example.com:443');
  await Promise.all([readToEnd(first), readToEnd(second)]);
  for (const { egress } of [plain, tunnelled]) {
    const reason: unknown = egress.exhausted.reason;
    assert.ok(reason instanceof AnalysisError);
    assert.equal(reason.code, 'page_unreachable');
    assert.match(reason.message, /more than 1 MB/);
  }
  assert.equal(usualEgressLimits.bytes, 100_000_000);
});

test('a waiting request gets a connection when another is closed', async t => {
  const { port } = await startRawServer(t, echo);
  const { egress, network } = await openOwnEgress(t, port, { connections: 2 });
  const [first, second] = await Promise.all([1, 2].map(() => openTunnel(t, egress, 'www.example.com:443')));
  const third = openTunnel(t, egress, 'www.example.com:443');
  // An exchange that comes after it shows that it had its chance.
  await sendBytes(t, egress, 'GET / HTTP/1.1\r\n\r\n');
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
  await assert.rejects(fetch(egress.proxyUrl));
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
