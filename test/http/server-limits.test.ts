/** Clients that are slow, silent, too many or too large do not affect others. No browser here. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { arrivalLimits } from '../../src/http/server/server-limits.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { assertInvalid, type Invalid, required } from '../support/asking/invalid.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { inTime, readUntil } from '../support/until.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public' });
const { host } = new URL(service.url);

type Opened = { url: string; socket: Socket; closed: Promise<string> };

/** Opens a connection; `closed` settles with everything received once the other side has closed it. */
async function open(scope: Scope, { url } = service): Promise<Opened> {
  const [opened, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const chunks: Buffer[] = [];
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, opened.resolve);
  socket.on('data', chunk => chunks.push(chunk)).on('error', () => {});
  socket.on('close', () => closed.resolve(Buffer.concat(chunks).toString()));
  scope.after(() => void socket.destroy());
  await opened.promise;
  return { url, socket, closed: closed.promise };
}

/** Sends a byte each time another client has been answered, until the connection is closed. */
async function drip({ url, socket, closed }: Opened, head: string, byte: string): Promise<string> {
  socket.write(head);
  let received: string | undefined;
  void closed.then(text => {
    received = text;
  });
  const dripOne = async () => {
    assert.equal((await ask<Health>({ url }, '/health')).status, 200);
    if (socket.writable) socket.write(byte);
    return received;
  };
  return (await readUntil(dripOne, text => text !== undefined, { pauseMs: 100 })) ?? assert.fail();
}

const timedOut =
  /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close[\s\S]*\{"detail":"The request took too long to arrive\."\}$/;
const silentCount = 300;

test('slow headers, slow bodies and silent connections are closed with 408 while others are answered', async t => {
  const arrival = { headersTimeout: 2_000, connectionsCheckingInterval: 100, bodyTimeout: 2_000 };
  const strict = await startService(t, {}, undefined, { arrival });
  const { host } = new URL(strict.url);
  const [headers, body, ...silent] = await Promise.all(Array.from({ length: silentCount }, () => open(t, strict)));
  assert.ok(headers && body);
  const [slowHeaders, slowBody, ...answers] = await Promise.all([
    drip(headers, `GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `, 'x'),
    drip(body, `POST /psi HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 100000\r\n\r\n{`, ' '),
    ...silent.map(({ closed }) => inTime(closed)),
  ]);
  for (const answer of [slowHeaders, slowBody, ...answers]) assert.match(answer, timedOut);
});

test('headers may take 10 s to arrive, and a body 15 s', () => {
  const { headersTimeout, bodyTimeout } = arrivalLimits;
  assert.deepEqual([headersTimeout, bodyTimeout], [10_000, 15_000]);
});

test('connections that have had an answer may stay idle, and do no harm', async t => {
  const idle = await Promise.all(Array.from({ length: 200 }, () => open(t)));
  await Promise.all(
    idle.map(
      ({ socket }) =>
        new Promise(resolve => {
          socket.once('data', resolve);
          socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        }),
    ),
  );
  assert.equal((await ask<Health>(service, '/health')).status, 200);
  assert.ok(idle.every(({ socket }) => !socket.destroyed));
});

test('ten thousand silent connections lock out no client: the oldest are closed', async t => {
  const atOnce = () => Promise.all(Array.from({ length: 250 }, () => open(t)));
  const [oldest] = await atOnce();
  for (let count = 250; count < 10_000; count += 250) {
    await atOnce();
    assert.equal((await sendRaw(service, { target: '/health' })).status, 200);
  }
  await oldest?.closed;
});

test('64 KB of headers are rejected with 431', async () => {
  const answer = await sendRaw(service, { target: '/health', headers: [`X-Large: ${'x'.repeat(64 * 1024)}`] });
  assert.equal(answer.status, 431);
  assert.deepEqual(jsonOf(answer), { detail: 'The request line and headers are larger than 16 KB.' });
});

test('a URL of 10 KB is parsed, and fails as an invalid value or an unknown route', async () => {
  const long = 'x'.repeat(10 * 1024);
  const { status, body } = await ask<Invalid>(service, `/psi?url=https://example.com/${long}`);
  assert.deepEqual([status, body.detail[0]?.type], [422, 'url_too_long']);
  assert.equal((await sendRaw(service, { target: `/${long}` })).status, 404);
  assert.equal((await sendRaw(service, { target: `/health?${long}` })).status, 200);
});

test('a body announced as 1 MB is rejected with 413 immediately', async () => {
  const { status, body } = await post<Problem>(service, '/psi', JSON.stringify({ url: 'x'.repeat(1024 * 1024) }));
  assert.deepEqual([status, body.code], [413, 'payload_too_large']);
});

test('names that every object has do no harm in a query or a body', async () => {
  for (const query of ['__proto__=x', '__proto__[url]=x', 'constructor=x&constructor[prototype][url]=x', 'toString=x'])
    assertInvalid(await ask<Invalid>(service, `/psi?${query}`), [required('query', 'url')]);
  const either = { loc: ['body'], msg: "Value error, specify exactly one of 'url' and 'urls'", type: 'value_error' };
  for (const body of [
    '{"__proto__":{"url":"https://example.com/"}}',
    '{"constructor":{"prototype":{"url":"https://example.com/"}}}',
    '{"__proto__":null}',
  ])
    assertInvalid(await post<Invalid>(service, '/psi', body), [either]);
  assert.equal(({} as { url?: string }).url, undefined);
  assert.equal(fake.calls.all.length, 0);
});

test('a repeated URL and a content type other than JSON are rejected', async () => {
  const twice = await ask<Invalid>(service, '/psi?url=https://example.com/&url=https://example.org/');
  assert.deepEqual([twice.status, twice.body.detail[0]?.loc], [422, ['query', 'url']]);
  const headers = { 'content-type': 'text/plain' };
  const text = await ask<Invalid>(service, '/psi', { method: 'POST', headers, body: '{"url":"https://example.com/"}' });
  assert.deepEqual([text.status, text.body.detail[0]?.loc], [422, ['body']]);
});
