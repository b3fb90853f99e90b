/** Plain http through the proxy, over real sockets. */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import { get, getAndClose, startRawSite, startSite, toPort } from '../../../test/support/sites/proxied-site.ts';
import {
  connectTo,
  createProxiedClient,
  openOwnEgress,
  readToEnd,
  readUntil,
  sendBytes,
  siteUrl,
} from '../../../test/support/surroundings/own-egress.ts';
import { startRawServer } from '../../../test/support/surroundings/own-network.ts';

test('a request is forwarded unchanged: path, method, spelling and order of its headers', async t => {
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

test('an answer is returned unchanged: status, reason, several cookies, and no headers added', async t => {
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

test('bodies pass both ways, with a length and in chunks', async t => {
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

test('answers without a body end immediately: HEAD, 204, 304', async t => {
  const { ask } = await startSite(t, (request, response) => {
    if (request.method === 'HEAD') response.setHeader('content-length', 1234);
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  const { answer, body } = await ask(`${siteUrl}200`, { method: 'HEAD' });
  assert.deepEqual([answer.headers['content-length'], body.length], ['1234', 0]);
  for (const status of [204, 304]) assert.equal((await ask(`${siteUrl}${status}`)).answer.statusCode, status);
});

test('an answer that ends with its connection is complete, and its connection ends, too', async t => {
  for (const version of ['1.0', '1.1']) {
    const { egress } = await startRawSite(t, `HTTP/${version} 200 OK\r\nX: y\r\n\r\nto the end`, 'end');
    const received = await sendBytes(t, egress, get);
    assert.match(received, /^HTTP\/1\.1 200 OK\r\nX: y\r\n/);
    assert.match(received, /to the end/);
  }
});

test('informational responses do not replace the answer', async t => {
  const early = 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n';
  const { egress } = await startRawSite(t, `${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
  assert.match(await sendBytes(t, egress, getAndClose), /^HTTP\/1\.1 200 OK\r\n[\s\S]*ok$/);
});

test('a browser connection is one connection to the server, which is reused', async t => {
  const connections = new Set<number | undefined>();
  const { ask, network } = await startSite(t, (request, response) => {
    connections.add(request.socket.remotePort);
    response.end('x');
  });
  for (let at = 0; at < 5; at += 1) await ask(siteUrl);
  assert.deepEqual([connections.size, network.dialled.length], [1, 1]);
});

test('a browser connection that switches to another host leaves the first one', async t => {
  const { url } = await startLocalServer(t, (request, response) => response.end(request.headers.host));
  const { egress, network } = await openOwnEgress(t, toPort(url));
  const ask = createProxiedClient(t, egress);
  for (const host of ['www.example.com', 'cdn.example.com', 'www.example.com'])
    assert.equal(String((await ask(`http://${host}/`)).body), host);
  assert.equal(network.dialled.length, 3);
});

test("if a server closes a kept-alive connection, the browser's connection closes", async t => {
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

test('if a browser closes its connection, the one to the server closes', async t => {
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

test('a request to upgrade the protocol is forwarded without it and answered on the same connection', async t => {
  const { egress } = await startSite(t, (request, response) => response.end(`upgrade: ${request.headers.upgrade}`));
  const upgrade =
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13';
  const client = await connectTo(t, egress);
  client.write(`GET ${siteUrl} HTTP/1.1\r\nHost: www.example.com\r\n${upgrade}\r\n\r\n`);
  assert.match(await readUntil(client, 'undefined'), /^HTTP\/1\.1 200 OK\r\n[\s\S]*upgrade: undefined/);
});
