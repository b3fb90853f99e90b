import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSystemNetwork } from './system-network.ts';

const never = new AbortController().signal;

type Question = { name: string; isIpv6: boolean; end: number };

const readQuestion = (query: Buffer): Question => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), isIpv6: query.readUInt16BE(at + 1) === 28, end: at + 5 };
};

/** RFC 1035: the header, the question as it came, and one record for each address, which is given as bytes. */
const toReply = (
  query: Buffer,
  { end, isIpv6 }: Question,
  addresses: readonly (readonly number[])[],
  code: number,
): Buffer => {
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const records = addresses.map(bytes =>
    Buffer.from([0xc0, 12, 0, isIpv6 ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
  );
  return Buffer.concat([header, query.subarray(12, end), ...records]);
};

/** A name server on loopback. Names that begin with `silent` get no answer. */
async function startDns(t: TestContext): Promise<{ servers: string[]; asked: string[]; socket: Socket }> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const question = readQuestion(query);
    asked.push(question.name);
    if (question.name.startsWith('silent')) return void socket.emit('silence', question.name);
    const known = question.isIpv6
      ? [[0x26, 6, 0x47, 0, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11]]
      : [[93, 184, 216, 34]];
    const isKnown = question.name === 'www.example.com';
    const code = isKnown ? 0 : question.name.startsWith('broken') ? 2 : 3;
    socket.send(toReply(query, question, isKnown ? known : [], code), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { servers: [`127.0.0.1:${socket.address().port}`], asked, socket };
}

function writeHosts(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-hosts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'hosts');
  writeFileSync(path, text);
  return path;
}

async function build(t: TestContext, hosts = '') {
  const dns = await startDns(t);
  const blocking: string[] = [];
  const network = createSystemNetwork({
    asksDns: true,
    dnsServers: dns.servers,
    hostsPath: writeHosts(t, hosts),
    getAddresses: async host => {
      blocking.push(host);
      return ['192.0.2.1'];
    },
  });
  return { ...dns, network, blocking };
}

test('a public name has the addresses of both families from DNS, without getaddrinfo', async t => {
  const { network, blocking } = await build(t);
  const answers = await network.resolve('www.example.com', never);
  assert.deepEqual([...answers].toSorted(), ['2606:4700:4700::1111', '93.184.216.34']);
  assert.deepEqual(blocking, []);
});

test('the hosts file comes before DNS', async t => {
  const { network, asked } = await build(t, '10.0.0.9 www.example.com\n127.0.0.1 localhost\n');
  assert.deepEqual(await network.resolve('www.example.com', never), ['10.0.0.9']);
  assert.deepEqual(await network.resolve('localhost', never), ['127.0.0.1']);
  assert.deepEqual(asked, []);
});

test('names below localhost mean this machine, on every system, and no resolver is asked for them', async t => {
  const { network, asked, blocking } = await build(t, '10.0.0.9 listed.localhost\n');
  const elsewhere = createSystemNetwork({
    asksDns: false,
    hostsPath: writeHosts(t, ''),
    getAddresses: () => assert.fail('asked'),
  });
  for (const host of ['localhost', 'shop.localhost', 'a.b.localhost', 'xn--bcher-kva.localhost'])
    for (const { resolve } of [network, elsewhere])
      assert.deepEqual(await resolve(host, never), ['127.0.0.1', '::1'], host);
  assert.deepEqual(await network.resolve('listed.localhost', never), ['10.0.0.9']);
  assert.deepEqual([asked, blocking], [[], []]);
});

test('local names, and names unknown to DNS, are looked up with getaddrinfo', async t => {
  const { network, blocking, asked } = await build(t);
  for (const host of ['printer', 'app.internal', 'web.default'])
    assert.deepEqual(await network.resolve(host, never), ['192.0.2.1']);
  assert.deepEqual(blocking, ['printer', 'app.internal', 'web.default']);
  assert.deepEqual([...new Set(asked)], ['web.default']);
});

test('a failing name server does not block a thread', async t => {
  const { network, blocking } = await build(t);
  await assert.rejects(network.resolve('broken.example.com', never), { code: 'ESERVFAIL' });
  assert.deepEqual(blocking, []);
});

test('names whose servers are silent delay no other lookup, and are cancelled', async t => {
  const { network, socket } = await build(t);
  const disconnect = new AbortController();
  const heard = once(socket, 'silence');
  const silent = Array.from({ length: 50 }, (_, at) => network.resolve(`silent${at}.example.com`, disconnect.signal));
  await heard;
  assert.equal((await network.resolve('www.example.com', never)).length, 2);
  disconnect.abort();
  for (const outcome of await Promise.allSettled(silent)) assert.equal(outcome.status, 'rejected');
});

test('on systems other than Linux, every lookup uses the system', async t => {
  const { servers, asked } = await startDns(t);
  const network = createSystemNetwork({ asksDns: false, dnsServers: servers, getAddresses: async () => ['192.0.2.7'] });
  assert.deepEqual(await network.resolve('www.example.com', never), ['192.0.2.7']);
  assert.deepEqual(asked, []);
});

test('getaddrinfo looks up one name at a time, and the queued name of a client that disconnects is removed', async t => {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const blocking: string[] = [];
  const network = createSystemNetwork({
    asksDns: true,
    hostsPath: writeHosts(t, ''),
    getAddresses: async host => {
      blocking.push(host);
      begun.resolve();
      await gate.promise;
      return ['192.0.2.1'];
    },
  });
  const disconnect = new AbortController();
  const first = network.resolve('one', never);
  // Each name is looked for in the hosts file first, which takes one longer than another.
  await begun.promise;
  const second = network.resolve('two', disconnect.signal);
  const third = network.resolve('three', never);
  disconnect.abort();
  await assert.rejects(second);
  gate.resolve();
  await Promise.all([first, third]);
  assert.deepEqual(blocking, ['one', 'three']);
});
