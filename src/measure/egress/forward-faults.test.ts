/** Plain http through the proxy when something is wrong with either side, over real sockets. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import { get, getAndClose, startRawSite, startSite, toPort } from '../../../test/support/sites/proxied-site.ts';
import { connectTo, openOwnEgress, sendBytes, siteUrl } from '../../../test/support/surroundings/own-egress.ts';

test('a server that resets midway leaves an incomplete answer', async t => {
  const heads = ['Content-Length: 100', 'Transfer-Encoding: chunked'];
  for (const head of heads) {
    const { egress } = await startRawSite(t, `HTTP/1.1 200 OK\r\n${head}\r\n\r\n5\r\nhalf `, 'reset');
    const received = await sendBytes(t, egress, get);
    assert.ok(!received.endsWith('0\r\n\r\n') && received.length < 200, received);
  }
});

test('a server that resets before it answers, or does not speak HTTP, closes the connection without an answer', async t => {
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

test('unusual headers of a server harm neither the proxy nor the next answer', async t => {
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

test('a request other than an http page request is closed without an answer, and nothing is dialled', async t => {
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

test('a blocked endpoint is closed without an answer, and the reason is recorded', async t => {
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
    assert.equal((await egress.about(refused)).refusal?.reason, 'blocked', host);
  }
  assert.equal((await egress.about(siteUrl)).blocked, hosts.length);
  assert.deepEqual(network.dialled, []);
});

test('a client that disconnects in the middle of a body ends the request to the server', async t => {
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
