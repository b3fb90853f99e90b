/**
 * Receivers of callbacks that misbehave: no answer, an endless answer, or a name that moves inside between two
 * attempts.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import { send } from '../../src/jobs/callbacks/send.ts';
import { createPolicy } from '../../src/measure/targets/policy.ts';
import { StoreFaultError } from '../../src/storage/database/fault.ts';
import type { SqlDatabase } from '../../src/storage/database/sql.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/storage/results/sqlite/messages.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { createArrivals } from '../support/arrivals.ts';
import { ask } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { readUntil } from '../support/until.ts';
import { lookUntilSo, openInstance } from './instance.ts';
import { askForJob } from './jobs.ts';
import { noonMs, orderOf } from './orders.ts';
import { startReceiver } from './receiver.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const url = 'https://example.com/';
const parts = { network: createOwnNetwork({}), policy: createPolicy({ targets: 'any', ownPort: () => 1 }) };
const message = { headers: {}, body: '{}' };

const sendTo = (href: string, timeoutMs: number, signal = new AbortController().signal) =>
  send(parts, href, message, signal, timeoutMs);

/** Accepts connections and writes what the test says, which is never a TLS handshake. */
async function startMute(scope: Scope, speak: (socket: Socket) => void = () => {}): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer(socket => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
    speak(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.after(async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of open) socket.destroy();
    await closed;
  });
  return (server.address() as AddressInfo).port;
}

test('a receiver that never answers has failed when its time limit ends', async t => {
  const mute = await startMute(t);
  const trickling = await startMute(t, socket => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const timer = setInterval(() => socket.write('x-more: 1\r\n'), 1);
    socket.on('close', () => clearInterval(timer));
  });
  const late = { ok: false, reason: 'no response in time', isFinal: false };
  for (const href of [`http://127.0.0.1:${mute}/`, `https://127.0.0.1:${mute}/`, `http://127.0.0.1:${trickling}/`])
    assert.deepEqual(await sendTo(href, 100), { ...late, isPrivate: true }, href);
});

test('an endless response to a callback counts as a response, and its body is not read', async t => {
  const closed = Promise.withResolvers<void>();
  const { url: endless } = await startLocalServer(t, (_request, response) => {
    response.on('close', closed.resolve).writeHead(200);
    const write = () => void (response.writable && response.write('x'.repeat(65_536), write));
    write();
  });
  assert.deepEqual(await sendTo(endless, 60_000), { ok: true });
  await closed.promise;
});

test('a receiver that never responds delays neither other callbacks nor the end of the service', async t => {
  const called = Promise.withResolvers<void>();
  const { url: silent } = await startLocalServer(t, () => called.resolve());
  const receiver = await startReceiver(t);
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, CALLBACK_SECRET: secret });
  await askForJob(service, { url, callback: silent });
  await called.promise;
  await askForJob(service, { url: `${url}next`, callback: receiver.url });
  await receiver.calls.waitFor(1);
  await service.close(0);
});

/** Two services on one store, and a receiver that answers when the test says so. */
async function startTwo(scope: Scope, toOwn: (database: SqlDatabase) => SqlDatabase = database => database) {
  const calls = createArrivals<() => void>();
  const { url: callback } = await startLocalServer(scope, (_request, response) =>
    calls.add(() => response.writeHead(204).end()),
  );
  const database = createSqliteDatabase({ path: temporaryDatabase });
  const clock = { nowMs: noonMs };
  const open = (own: SqlDatabase) => openInstance(own, clock, { callbackKey: Buffer.from('key'), endsAtOnce: true });
  const [one, other] = [open(toOwn(database)), open(database)];
  scope.after(async () => {
    await Promise.all([one.jobs.close(), other.jobs.close()]);
    await database.close();
  });
  const { job } = await one.jobs.submit({ ...orderOf(url), callback });
  await lookUntilSo(one, () => calls.all.length > 0);
  const stateOf = async () => (await other.jobs.read(job.id))?.delivery;
  return { calls, clock, one, other, stateOf };
}

test('a callback whose receiver takes seconds to answer is not sent by another service', async t => {
  const { calls, clock, one, other, stateOf } = await startTwo(t);
  clock.nowMs += 9_000;
  await other.look();
  assert.ok(!other.written.some(sql => sql.startsWith('UPDATE deliveries')));
  calls.all[0]?.();
  await lookUntilSo(one, async () => (await stateOf())?.state === 'delivered');
  assert.equal(calls.all.length, 1);
});

test('a delivered callback whose outcome could not be written at first is not sent again', async t => {
  let hasFailed = false;
  const { calls, one, stateOf } = await startTwo(t, database => ({
    ...database,
    write: async statements => {
      if (!hasFailed && statements.some(({ sql }) => sql.includes('last_error ='))) {
        hasFailed = true;
        throw new StoreFaultError('unavailable', 'the database is away');
      }
      return database.write(statements);
    },
  }));
  calls.all[0]?.();
  await lookUntilSo(one, async () => (await stateOf())?.state === 'delivered');
  assert.deepEqual([hasFailed, calls.all.length, (await stateOf())?.tries], [true, 1, 1]);
});

test('a name that resolves to an internal address at the second attempt is not called', async t => {
  const receiver = await startReceiver(t, () => 500);
  const port = Number(new URL(receiver.url).port);
  const names = { 'hook.example.com': [['93.184.215.14'], ['10.0.0.7']] };
  const network = createOwnNetwork(names, { '93.184.215.14': port, '10.0.0.7': port });
  const fake = await startFakePsi(t);
  const environment = { PSI_ENDPOINT: fake.endpoint, CALLBACK_SECRET: secret, TARGETS: 'public' };
  const service = await startService(t, environment, network, { jobs: { callbackFirstMs: 1 } });
  const { body: asked } = await askForJob(service, { url, callback: 'https://hook.example.com/' });
  const { body: job } = await readUntil(
    () => ask<JobAnswer>(service, `/jobs/${asked.id}`),
    ({ body }) => body.callback?.state === 'given_up',
  );
  assert.match(job.callback?.error ?? '', /private address/);
  assert.deepEqual([job.callback?.attempts, network.dialled], [2, ['93.184.215.14 443']]);
});
