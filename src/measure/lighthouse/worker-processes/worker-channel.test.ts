import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { toLine, type WorkerReply } from '../messages.ts';
import { openChannel } from './worker-channel.ts';

const ready: WorkerReply = { type: 'ready' };
const idle: WorkerReply = { type: 'idle' };
const none: WorkerReply = { type: 'result', bytes: 0 };

/** Opens a channel. @returns both of its ends, and everything that the service received */
function open(allowance: { bytes: number; replies: number }) {
  const [ours, theirs] = duplexPair();
  const replies: (WorkerReply | string)[] = [];
  const breaches: string[] = [];
  let closed = 0;
  const channel = openChannel(ours, {
    onReply: (reply, bytes) => void replies.push(reply, ...(bytes.length > 0 ? [bytes.toString()] : [])),
    onBreach: what => void breaches.push(what),
    onClose: () => {
      closed += 1;
    },
  });
  channel.allow(allowance);
  return { channel, ours, theirs, replies, breaches, closed: () => closed };
}

const write = (worker: Duplex, text: string | Buffer) => new Promise(resolve => worker.write(text, resolve));
const turn = () => new Promise(setImmediate);

test('replies arrive one by one, however their bytes are split', async () => {
  const { theirs, replies, breaches } = open({ bytes: 10_000, replies: 100 });
  const text = '"€ \u2028\n{}"\n';
  const result: WorkerReply = { type: 'result', bytes: Buffer.byteLength(text) };
  const all = Buffer.from(toLine(ready) + toLine(idle) + toLine(result) + text + toLine(idle) + toLine(none));
  for (const cut of [0, 1, 20, 40, 60, 70, 74]) {
    await write(theirs, all.subarray(0, cut));
    await write(theirs, all.subarray(cut));
  }
  for (const byte of all) await write(theirs, Buffer.of(byte));
  await turn();
  const once = [ready, idle, result, text, idle, none];
  assert.deepEqual(replies, Array.from({ length: 8 }, () => once).flat());
  assert.deepEqual(breaches, []);
});

for (const [name, allowance, text] of [
  ['more replies than are allowed', { bytes: 1_000, replies: 2 }, toLine(ready).repeat(5)],
  ['more bytes than are allowed', { bytes: 100, replies: 10 }, 'x'.repeat(200)],
  ['what is no reply', { bytes: 1_000, replies: 10 }, '{"type":"ready"\n{"type":"ready"}\n'],
] as const)
  test(`${name} are a violation, which is reported once and closes the channel`, async () => {
    const { ours, theirs, replies, breaches, closed } = open(allowance);
    await write(theirs, text);
    await turn();
    assert.equal(breaches.length, 1);
    assert.ok(ours.destroyed && replies.length <= allowance.replies);
    await turn();
    assert.equal(closed(), 0, 'it was closed by the service');
  });

test('the allowance starts again with the current reply', async () => {
  const { channel, theirs, replies, breaches } = open({ bytes: 1_000, replies: 1 });
  await write(theirs, toLine(ready));
  await turn();
  channel.allow({ bytes: 1_000, replies: 1 });
  await write(theirs, toLine(idle));
  await turn();
  assert.deepEqual([replies, breaches], [[ready, idle], []]);
});

test('a worker that closes its end is reported, a released one is not', async () => {
  const left = open({ bytes: 1_000, replies: 1 });
  left.ours.destroy();
  await turn();
  assert.equal(left.closed(), 1);
  const kept = open({ bytes: 1_000, replies: 1 });
  kept.channel.close();
  await turn();
  assert.equal(kept.closed(), 0);
});
