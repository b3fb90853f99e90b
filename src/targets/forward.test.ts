/** Plain http through the proxy, over real sockets. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { startLocalServer } from '../../test/local-server.ts';
import {
  connectTo,
  createProxiedClient,
  openOwnEgress,
  readToEnd,
  readUntil,
  sendBytes,
  siteUrl,
} from '../../test/own-egress.ts';
import { startRawServer } from '../../test/own-network.ts';

const toPort = (url: string) => Number(new URL(url).port);

const startSite = async (t: TestContext, listener: RequestListener) => {
  const { url } = await startLocalServer(t, listener);
  const opened = await openOwnEgress(t, toPort(url));
  return { ...opened, ask: createProxiedClient(t, opened.egress) };
};

/** A server that answers every request head with these bytes; `end` closes after them. */
async function startRawSite(t: TestContext, answer: string, after: 'stay' | 'end' | 'reset' = 'stay') {
  const { port } = await startRawServer(t, socket => {
    let received = '';
    socket.on('data', chunk => {
      received += chunk.toString('latin1');
      if (!received.includes('\r\n\r\n')) return;
      received = '';
      socket.write(answer, 'latin1', () => {
        if (after === 'end') socket.end();
        if (after === 'reset') socket.resetAndDestroy();
      });
    });
    socket.on('end', () => socket.end());
  });
  return openOwnEgress(t, port);
}

const get = `GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\n\r\n`;
const getAndClose = `GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n`;

test('the request goes on as it came: path, method, spelling and order of its headers', async t => {
  const seen: IncomingMessage[] = [];
  const { egress } = await startSite(t, (request, response) => {
    seen.push(request);
    response.end();
  });
  const raw = [
    'PURGE http://www.example.com:8080/a%20b/?c=d%3Ae&f HTTP/1.1',
    'Host: www.example.com:8080',
    'X-Odd-CASE: 1',
    'Cookie: a=1',
    'cookie: b=2',
    'Proxy-Connection: keep-alive',
    'Connection: X-Once, close',
    'X-Once: gone',
    'Proxy-Authorization: Basic x',
    'Upgrade-Insecure-Requests: 1',
  ].join('\r\n');
  await sendBytes(t, egress, `${raw}\r\n\r\n`);
  const [request] = seen;
  assert.deepEqual([request?.method, request?.url], ['PURGE', '/a%20b/?c=d%3Ae&f']);
  const headers = request?.rawHeaders.filter((_, at) => at % 2 === 0);
  assert.deepEqual(headers?.slice(0, 4), ['Host', 'X-Odd-CASE', 'Cookie', 'Upgrade-Insecure-Requests']);
  assert.deepEqual(headers?.slice(4), ['Connection'], 'of the new hop');
  assert.equal(request?.headers.cookie, 'a=1; b=2');
});

test('the answer comes back as it was: status, reason, several cookies, no headers of ours', async t => {
  const answer = [
    'HTTP/1.1 299 Fine Indeed',
    'Set-Cookie: a=1',
    'X-Odd-CASE: \u00e4',
    'set-cookie: b=2',
    'Set-Cookie: a=1',
    'Keep-Alive: timeout=9',
    'Connection: x-once',
    'X-Once: gone',
    'Content-Length: 2',
  ].join('\r\n');
  const { egress } = await startRawSite(t, `${answer}\r\n\r\nok`);
  const [head = '', body] = (await sendBytes(t, egress, getAndClose)).split('\r\n\r\n');
  assert.deepEqual(head.split('\r\n'), [
    ...['HTTP/1.1 299 Fine Indeed', 'Set-Cookie: a=1', 'X-Odd-CASE: \u00e4', 'set-cookie: b=2', 'Set-Cookie: a=1'],
    ...['Content-Length: 2', 'Connection: close'],
  ]);
  assert.equal(body, 'ok');
});

test('bodies go both ways, with a length and in chunks', async t => {
  const { ask } = await startSite(t, async (request, response) => {
    const body = await buffer(request);
    response.setHeader(
      'x-framing',
      request.headers['transfer-encoding'] ?? `length ${request.headers['content-length']}`,
    );
    if (request.url === '/length') response.setHeader('content-length', body.length);
    response.write(body.subarray(0, 5));
    response.end(body.subarray(5));
  });
  const body = Buffer.from('bytes \u0000\u00ff in a body'.repeat(10_000), 'latin1');
  for (const path of ['length', 'chunks']) {
    for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
      const { answer, body: back } = await ask(`${siteUrl}${path}`, { method: 'POST', headers, body });
      assert.ok(back.equals(body), path);
      assert.equal(answer.headers['x-framing'], 'transfer-encoding' in headers ? 'chunked' : `length ${body.length}`);
      assert.equal(answer.headers['content-length'], path === 'length' ? String(body.length) : undefined);
    }
  }
});

test('answers without a body end at once: HEAD, 204, 304', async t => {
  const { ask } = await startSite(t, (request, response) => {
    if (request.method === 'HEAD') response.setHeader('content-length', 1234);
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  const { answer, body } = await ask(`${siteUrl}200`, { method: 'HEAD' });
  assert.deepEqual([answer.headers['content-length'], body.length], ['1234', 0]);
  for (const status of [204, 304]) assert.equal((await ask(`${siteUrl}${status}`)).answer.statusCode, status);
});

test('an answer that ends with its connection is whole, and its connection ends, too', async t => {
  for (const version of ['1.0', '1.1']) {
    const { egress } = await startRawSite(t, `HTTP/${version} 200 OK\r\nX: y\r\n\r\nto the end`, 'end');
    const received = await sendBytes(t, egress, get);
    assert.match(received, /^HTTP\/1\.1 200 OK\r\nX: y\r\n/);
    assert.match(received, /to the end/);
  }
});

test('what comes before the answer does not take its place', async t => {
  const early = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n';
  const { egress } = await startRawSite(t, `${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
  assert.match(await sendBytes(t, egress, getAndClose), /^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/);
});

test('one connection of the browser is one to the server, used again', async t => {
  const connections = new Set<number | undefined>();
  const { ask, network } = await startSite(t, (request, response) => {
    connections.add(request.socket.remotePort);
    response.end('x');
  });
  for (let at = 0; at < 5; at += 1) await ask(siteUrl);
  assert.deepEqual([connections.size, network.dialled.length], [1, 1]);
});

test('a connection of the browser that turns to another host leaves the first one', async t => {
  const { url } = await startLocalServer(t, (request, response) => response.end(request.headers.host));
  const { egress, network } = await openOwnEgress(t, toPort(url));
  const ask = createProxiedClient(t, egress);
  for (const host of ['www.example.com', 'cdn.example.com', 'www.example.com'])
    assert.equal(String((await ask(`http://${host}/`)).body), host);
  assert.equal(network.dialled.length, 3);
});

test('a server that closes what it kept closes the connection of the browser', async t => {
  const { port, sockets } = await startRawServer(t, socket => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
  });
  const { egress } = await openOwnEgress(t, port);
  const client = await connectTo(t, egress);
  client.write(get);
  await readUntil(client, 'ok');
  const ended = readToEnd(client);
  for (const socket of sockets) socket.end();
  client.resume();
  assert.equal(await ended, '');
});

test('a browser that closes its connection closes the one to the server', async t => {
  const closed = Promise.withResolvers<void>();
  const { port } = await startRawServer(t, socket => {
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    socket.on('end', () => socket.end());
    socket.on('close', () => closed.resolve());
  });
  const { egress } = await openOwnEgress(t, port);
  const client = await connectTo(t, egress);
  client.write(get);
  await readUntil(client, 'ok');
  client.destroy();
  await closed.promise;
});

test('a server that resets in the middle leaves no whole answer', async t => {
  const heads = ['Content-Length: 100', 'Transfer-Encoding: chunked'];
  for (const head of heads) {
    const { egress } = await startRawSite(t, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n5\r\nhalf `, 'reset');
    const received = await sendBytes(t, egress, get);
    assert.ok(!received.endsWith('0\r\n\r\n') && received.length < 200, received);
  }
});

test('a server that resets before it answers, or answers no HTTP, closes the connection without an answer', async t => {
  for (const [answer, end] of [
    ['', 'reset'],
    ['', 'end'],
    ['SSH-2.0-OpenSSH_9.9\r\n\r\n', 'end'],
    ['HTTP/1.1 9999 X\r\n\r\n', 'end'],
    ['HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n', 'end'],
    ['HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n', 'end'],
  ] as const) {
    const { egress } = await startRawSite(t, answer, end);
    assert.equal(await sendBytes(t, egress, get), '', answer);
  }
});

test('odd headers of a server harm neither the proxy nor the next answer', async t => {
  const odd = [
    'X: \u0001\u007f',
    'X: \u0000',
    'X Y: z',
    ': empty',
    `X: ${'y'.repeat(200_000)}`,
    'Content-Length: 2, 2',
  ];
  for (const header of odd) {
    const { egress } = await startRawSite(t, `HTTP/1.1 200 O\u0001K\r\n${header}\r\nContent-Length: 2\r\n\r\nok`);
    const received = await sendBytes(t, egress, getAndClose);
    assert.ok(received === '' || received.startsWith('HTTP/1.1 200'), received.slice(0, 100));
  }
  const { egress } = await startRawSite(
    t,
    `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(200_000)}\r\nContent-Length: 2\r\n\r\nok`,
  );
  assert.ok((await sendBytes(t, egress, getAndClose)).length > 200_000, 'as long as Chrome reads them');
});

test('what is no request for a page of http is closed without an answer, and nothing is dialled', async t => {
  const { egress, network } = await startSite(t, (_request, response) => response.end('reached'));
  const targets = [
    ...['/', '*', '/http://www.example.com/', 'www.example.com', '//www.example.com/', 'https://www.example.com/'],
    ...['ftp://www.example.com/', 'file:///etc/passwd', 'ws://www.example.com/', 'javascript:1', 'http:', 'http://'],
    ...['http://a..b/', 'http://[::1', 'http://256.1.1.1/', 'about:blank', 'chrome://version/'],
  ];
  for (const target of targets)
    assert.equal(
      await sendBytes(t, egress, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      '',
      target,
    );
  for (const bytes of ['GET\r\n\r\n', '\u0016\u0003\u0001\u0000', 'x'.repeat(300_000)])
    assert.equal(await sendBytes(t, egress, `${bytes}\r\n\r\n`), '', bytes.slice(0, 20));
  assert.deepEqual(network.dialled, []);
});

test('a place that is refused is closed without an answer, and the reason is kept', async t => {
  const { url } = await startLocalServer(t, (_request, response) => response.end('reached'));
  const port = toPort(url);
  const { egress, network } = await openOwnEgress(t, port);
  const hosts = [
    '127.0.0.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'localhost.',
  ];
  for (const host of hosts) {
    const refused = `http://${host}:${port}/x?secret`;
    assert.equal(await sendBytes(t, egress, `GET ${refused} HTTP/1.1\r\nHost: x\r\n\r\n`), '', host);
    assert.equal(egress.refusalOf(refused)?.reason, 'blocked', host);
  }
  assert.equal(egress.blocked, hosts.length);
  assert.deepEqual(network.dialled, []);
});

test('a request to change protocol is passed on without it and answered in this one', async t => {
  const { egress } = await startSite(t, (request, response) => response.end(`upgrade: ${request.headers.upgrade}`));
  const upgrade =
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13';
  const client = await connectTo(t, egress);
  client.write(`GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\n${upgrade}\r\n\r\n`);
  assert.match(await readUntil(client, 'undefined'), /^HTTP\/1\.1 200 OK\r\n[\s\S]*upgrade: undefined/);
});

test('a caller that leaves in the middle of a body ends the request to the server', async t => {
  const aborted = Promise.withResolvers<void>();
  const { egress } = await startSite(t, (request, response) => {
    request.on('error', () => aborted.resolve());
    request.resume();
    response.on('close', () => aborted.resolve());
  });
  const client = await connectTo(t, egress);
  client.write(`POST ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\nContent-Length: 1000\r\n\r\nhalf`, () =>
    client.destroy(),
  );
  await aborted.promise;
});

test('a body larger than the memory it may take passes whole: the reader sets the pace', async t => {
  const chunk = Buffer.alloc(1 << 20, 'x');
  const chunks = 300;
  const expected = createHash('sha1');
  for (let at = 0; at < chunks; at += 1) expected.update(chunk);
  const { url } = await startLocalServer(t, async (_request, response) => {
    for (let at = 0; at < chunks; at += 1) if (!response.write(chunk)) await once(response, 'drain');
    response.end();
  });
  const { egress } = await openOwnEgress(t, toPort(url), { bytes: Number.POSITIVE_INFINITY });
  const client = await connectTo(t, egress);
  client.write(getAndClose.replace('HTTP/1.1', 'HTTP/1.0'));
  await readUntil(client, '\r\n\r\n');
  let most = 0;
  let received = 0;
  for await (const piece of client) {
    received += piece.length;
    most = Math.max(most, process.memoryUsage().arrayBuffers);
    await new Promise(setImmediate);
  }
  assert.ok(received > (chunks - 1) * chunk.length, `${received}`);
  assert.ok(most < 100 * chunk.length, `${Math.round(most / 1e6)} MB were held`);
});
