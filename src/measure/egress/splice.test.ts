import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { startRawServer } from '../../../test/support/surroundings/own-network.ts';
import { splice } from './tunnel.ts';

const closed = (socket: Socket) => new Promise<void>(resolve => socket.once('close', () => resolve()));

/** Both ends of a spliced pair: what each says the other hears. */
async function startPair(t: TestContext, lingerMs: number) {
  const ends: Socket[] = [];
  const middles: Socket[] = [];
  const both = Promise.withResolvers<void>();
  const { port } = await startRawServer(t, socket => {
    middles.push(socket);
    if (middles.length === 2) both.resolve();
  });
  for (let at = 0; at < 2; at += 1) {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => {});
    ends.push(socket);
    t.after(() => void socket.destroy());
  }
  await both.promise;
  const [a, b] = middles as [Socket, Socket];
  splice(a, b, lingerMs);
  const [left, right] = ends as [Socket, Socket];
  return { left, right, a, b };
}

test('a side that continues forever after the other ended is closed after a while', async t => {
  const { left, right, a, b } = await startPair(t, 1);
  right.resume();
  left.end('bye').resume();
  await Promise.all([closed(a), closed(b)]);
});

test('a side that answers after the other ended is read', async t => {
  const { left, right, a, b } = await startPair(t, 60_000);
  right.resume().on('end', () => right.end('an answer'));
  const heard = new Promise<string>(resolve => left.once('data', data => resolve(String(data))));
  left.end('a question');
  assert.equal(await heard, 'an answer');
  await Promise.all([closed(a), closed(b)]);
});

test('a side that is cut off cuts off the other', async t => {
  const { left, right, a, b } = await startPair(t, 60_000);
  const failed = new Promise<Error>(resolve => right.once('error', resolve));
  right.resume();
  left.resetAndDestroy();
  assert.match(String(await failed), /ECONNRESET/);
  assert.ok(a.destroyed && b.destroyed);
});
