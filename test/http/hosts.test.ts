/** Contract section 9: ALLOWED_HOSTS refuses pages whose host name resolves to this machine. No browser here. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { jsonOf, sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const fake = await startFakePsi({ after });
const start = (environment: Record<string, string> = {}) =>
  startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'public', ...environment });
const usual = await start();
const listed = await start({ ALLOWED_HOSTS: 'lab.example.com' });
const elsewhere = await start({ HOST: '0.0.0.0' });
const behindProxy = await start({ ALLOWED_HOSTS: 'lab.example.com', TRUST_PROXY: '127.0.0.1' });

const routes = ['/', '/docs', '/llms.txt', '/health', '/openapi.json', '/psi?url=https://example.com/&strategy=mobile'];
const ask = (service: { url: string }, target: string, host: string, headers: readonly string[] = []) =>
  sendRaw(service, { target, host, headers });

test('a foreign Host is rejected on every route', async () => {
  for (const target of routes) {
    const answer = await ask(usual, target, 'evil.example');
    const { code, detail } = jsonOf<Problem>(answer);
    assert.deepEqual([answer.status, code], [403, 'host_not_allowed'], target);
    assert.match(detail, /'evil\.example'\. Add the name to ALLOWED_HOSTS/);
  }
  const cleared = await sendRaw(usual, { method: 'POST', target: '/cache/clear', host: 'evil.example' });
  assert.equal(cleared.status, 403);
  const tools = await sendRaw(usual, { method: 'POST', target: '/mcp', host: 'evil.example' });
  assert.deepEqual([tools.status, jsonOf<Problem>(tools).code], [403, 'host_not_allowed']);
  assert.equal(fake.calls.all.length, 0, 'no other test has measured anything yet');
});

test('on loopback, localhost and addresses are accepted by default, with any port', async () => {
  const port = new URL(usual.url).port;
  for (const host of ['localhost', `LOCALHOST:${port}`, 'app.localhost', '127.0.0.1', '[::1]:1', '192.168.1.5'])
    for (const target of routes) assert.equal((await ask(usual, target, host)).status, 200, `${host} ${target}`);
});

test('a list allows its names, and addresses', async () => {
  for (const host of ['lab.example.com', 'Lab.Example.Com.:443', '127.0.0.1'])
    assert.equal((await ask(listed, '/health', host)).status, 200, host);
  for (const host of ['localhost', 'example.com', 'lab.example.com.evil.example'])
    assert.equal((await ask(listed, '/health', host)).status, 403, host);
});

test('beyond loopback every host name is accepted by default', async () => {
  assert.equal((await ask(elsewhere, '/health', 'lab.example.com')).status, 200);
});

test('a request without Host is rejected if host names are restricted', async () => {
  const send = (service: { url: string }) => {
    const { hostname, port } = new URL(service.url);
    const received = Promise.withResolvers<string>();
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write('GET /health HTTP/1.0\r\n\r\n'));
    socket.on('data', chunk => chunks.push(chunk)).on('error', received.reject);
    socket.on('close', () => received.resolve(Buffer.concat(chunks).toString()));
    return received.promise;
  };
  assert.match(await send(usual), /^HTTP\/1\.1 403[\s\S]*host_not_allowed[\s\S]*has no Host header/);
  assert.match(await send(elsewhere), /^HTTP\/1\.1 200/);
});

test('an unrouted path is 404 whatever the Host', async () => {
  const { status, headers } = await ask(usual, '/robots.txt', 'evil.example');
  assert.deepEqual([status, headers.get('vary')], [404, 'Accept']);
});

test('a forwarded host is only accepted from a trusted proxy', async () => {
  const forwarded = (name: string) => [`X-Forwarded-Host: ${name}`];
  assert.equal((await ask(usual, '/health', 'evil.example', forwarded('localhost'))).status, 403);
  assert.equal((await ask(usual, '/health', 'localhost', forwarded('evil.example'))).status, 200);
  assert.equal((await ask(behindProxy, '/health', 'backend', forwarded('lab.example.com'))).status, 200);
  assert.equal((await ask(behindProxy, '/health', 'backend', forwarded('evil.example'))).status, 403);
  assert.equal((await ask(behindProxy, '/health', 'backend')).status, 403);
});

test('a tool that an agent calls through a proxy requests its route with the forwarded host', async () => {
  const headers = [
    'X-Forwarded-Host: lab.example.com',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
  ];
  const params = { name: 'measure', arguments: { url: 'nonsense', analyser: 'psi' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const answer = await sendRaw(behindProxy, { method: 'POST', target: '/mcp', host: 'backend', headers, body });
  assert.equal(answer.status, 200, answer.body);
  // The route has refused the URL, not the host.
  assert.match(answer.body, /nonsense/);
  assert.doesNotMatch(answer.body, /host_not_allowed/);
});

test('links contain the forwarded host and scheme only from a trusted proxy', async () => {
  const headers = ['X-Forwarded-Host: lab.example.com', 'X-Forwarded-Proto: https'];
  const message = (url: string) => `No route found for &quot;GET ${url}/nothing&quot;`;
  const trusted = await ask(behindProxy, '/nothing', 'backend', headers);
  assert.ok(trusted.body.includes(message('https://lab.example.com')), trusted.body);
  const spoofed = await ask(usual, '/nothing', 'localhost', headers);
  assert.ok(spoofed.body.includes(message('http://localhost')), spoofed.body);
});
