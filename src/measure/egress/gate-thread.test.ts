/** The gate in its thread, over real sockets of loopback. What the proxy itself does: egress-proxy.test.ts. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ask, isRefused, openTunnel, readToEnd } from '../../../test/support/surroundings/own-egress.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { DialError } from './dial.ts';
import type { Gate } from './egress-proxy.ts';
import { createGateThread, type GateThreadSettings } from './gate-thread.ts';
import type { RefusalNote } from './reach.ts';

async function startPage(t: TestContext): Promise<number> {
  const server = createServer((request, response) => response.end(`you asked ${request.url}`));
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function startThread(t: TestContext, more: Partial<GateThreadSettings> = {}) {
  const notes: RefusalNote[] = [];
  const note = (refusal: RefusalNote) => void notes.push(refusal);
  const thread = createGateThread({ targets: 'any', ownPort: () => 1, hidesInside: true, note, ...more });
  t.after(() => thread.close());
  return { thread, notes };
}

const never = new AbortController().signal;
const openAt = (gate: Gate, port: number) => gate.open({ startUrl: `http://127.0.0.1:${port}/`, signal: never });
const askFor = (t: TestContext, gate: { proxyUrl: string }, port: number) =>
  ask(t, gate, `http://127.0.0.1:${port}`, 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');

test('nothing passes before the gate is opened, and then only what the policy allows', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t);
  const gate = await thread.openGate();
  assert.ok(await isRefused(t, gate, `127.0.0.1:${port}`));
  const egress = await openAt(gate, port);
  assert.match(await askFor(t, gate, port), /you asked \/x$/);
  assert.deepEqual(await egress.about(`http://127.0.0.1:${port}/`), {
    blocked: 0,
    givenUp: [],
    unasked: 1,
    refusal: undefined,
    isDiscreet: true,
  });
});

test('refusals are reported and logged', async t => {
  const port = await startPage(t);
  const { thread, notes } = startThread(t, { ownPort: () => port + 1 });
  const gate = await thread.openGate();
  const egress = await openAt(gate, port);
  const metadata = 'http://169.254.169.254/';
  assert.ok(await isRefused(t, gate, '169.254.169.254:80'));
  const own = `http://127.0.0.1:${port + 1}/`;
  assert.ok(await isRefused(t, gate, `127.0.0.1:${port + 1}`));
  for (const url of [metadata, own]) assert.equal((await egress.about(url)).refusal?.reason, 'blocked');
  assert.equal((await egress.about('about:blank')).blocked, 2);
  assert.deepEqual(
    notes.map(({ host, reason }) => `${reason} ${host}`),
    ['blocked 169.254.169.254', 'blocked 127.0.0.1'],
  );
});

test('a page that is not allowed does not change the gate', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t, { targets: 'public' });
  const gate = await thread.openGate();
  await assert.rejects(openAt(gate, port), error => error instanceof DialError && error.reason === 'blocked');
  assert.ok(await isRefused(t, gate, `127.0.0.1:${port}`));
});

test('an aborted opening ends with its reason, and the gate can be opened for another page', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t);
  const gate = await thread.openGate();
  const gone = new AbortController();
  const opening = gate.open({ startUrl: 'http://name-without-an-answer.invalid/', signal: gone.signal });
  gone.abort(new Error('the client disconnected'));
  await assert.rejects(opening, /the client disconnected/);
  await openAt(gate, port);
  assert.match(await askFor(t, gate, port), /you asked/);
});

test('closing an audit closes its connections, and no others', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t);
  const [ours, other] = await Promise.all([thread.openGate(), thread.openGate()]);
  const [egress] = await Promise.all([openAt(ours, port), openAt(other, port)]);
  const tunnel = await openTunnel(t, ours, `127.0.0.1:${port}`);
  const ended = readToEnd(tunnel);
  egress.close();
  assert.equal(await ended, '');
  const refused = connect(Number(new URL(ours.proxyUrl).port), '127.0.0.1');
  const [error] = await once(refused, 'error');
  assert.equal(error.code, 'ECONNREFUSED');
  assert.match(await askFor(t, other, port), /you asked/);
});

test('the facts of an audit can be read after its gate is closed, without any wait', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t);
  const gate = await thread.openGate();
  const egress = await openAt(gate, port);
  await isRefused(t, gate, '169.254.169.254:80');
  gate.close();
  assert.equal((await egress.about('http://169.254.169.254/')).refusal?.reason, 'blocked');
  // The thread has time to answer while this one is busy, so answers are queued when the port is closed.
  const asked = Array.from({ length: 50 }, () => egress.about('http://169.254.169.254/'));
  for (const end = performance.now() + 100; performance.now() < end; );
  egress.close();
  for (const { status } of await Promise.allSettled(asked)) assert.equal(status, 'rejected');
  await new Promise(setImmediate);
  await assert.rejects(egress.about('http://169.254.169.254/'), AnalysisError);
});

test('if the thread ends, its audits fail as a fault of this machine, and the next gate has a new thread', async t => {
  const port = await startPage(t);
  const { thread } = startThread(t);
  const gate = await thread.openGate();
  const egress = await openAt(gate, port);
  const isFault = (error: unknown) => error instanceof AnalysisError && error.code === 'lighthouse_unavailable';
  // Asked after the thread was stopped and before its end is known, so it cannot be answered.
  const closing = thread.close();
  await assert.rejects(egress.about('http://127.0.0.1/'), isFault);
  await closing;
  assert.ok(isFault(egress.exhausted.reason));
  await assert.rejects(openAt(gate, port), isFault);
  await openAt(await thread.openGate(), port);
});
