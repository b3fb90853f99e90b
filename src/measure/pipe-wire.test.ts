import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import { test } from 'node:test';
import { type Allowance, type PipeOptions, toPipeWire } from './pipe-wire.ts';
import { openPort, type PortMessage } from './port.ts';

const notice = (name: string): PortMessage => ({ notice: name, data: null });
const toLine = (message: PortMessage) => `${JSON.stringify(message)}\n`;

/** Opens a wire. @returns both of its ends, and everything that was received */
function open(allowance: Allowance, options: Partial<PipeOptions> = {}) {
  const [ours, theirs] = duplexPair();
  const messages: (PortMessage | string)[] = [];
  const breaches: string[] = [];
  let closed = 0;
  const wire = toPipeWire(ours, {
    ...options,
    onBreach: what => void breaches.push(what),
    onClose: () => {
      closed += 1;
    },
  });
  wire.listen((message, bytes) => void messages.push(message, ...(bytes.length > 0 ? [bytes.toString()] : [])));
  wire.allow(allowance);
  return { wire, ours, theirs, messages, breaches, closed: () => closed };
}

const write = (other: Duplex, text: string | Buffer) => new Promise(resolve => other.write(text, resolve));
const turn = () => new Promise(setImmediate);

test('messages arrive one by one, however their bytes are split', async () => {
  const { theirs, messages, breaches } = open({ bytes: 10_000, messages: 100 });
  const text = '"€ \u2028\n{}"\n';
  const answer: PortMessage = { answer: 1, data: {}, bytes: Buffer.byteLength(text) };
  const empty: PortMessage = { answer: 2, data: {}, bytes: 0 };
  const [one, other] = [notice('one'), notice('other')];
  const all = Buffer.from(toLine(one) + toLine(other) + toLine(answer) + text + toLine(other) + toLine(empty));
  for (const cut of [0, 1, 20, 40, 60, 70, 74, 110, 130]) {
    await write(theirs, all.subarray(0, cut));
    await write(theirs, all.subarray(cut));
  }
  for (const byte of all) await write(theirs, Buffer.of(byte));
  await turn();
  const once = [one, other, answer, text, other, empty];
  assert.deepEqual(messages, Array.from({ length: 10 }, () => once).flat());
  assert.deepEqual(breaches, []);
});

const refuse = () => {
  throw new Error('not now');
};
for (const [name, allowance, text, options] of [
  ['more messages than are allowed', { bytes: 1_000, messages: 2 }, toLine(notice('one')).repeat(5), {}],
  ['more bytes than are allowed', { bytes: 100, messages: 10 }, 'x'.repeat(200), {}],
  ['a line that is no message', { bytes: 1_000, messages: 10 }, `{"notice":"one"\n${toLine(notice('one'))}`, {}],
  ['a message at the wrong time', { bytes: 1_000, messages: 10 }, toLine(notice('one')).repeat(2), { admit: refuse }],
] as const)
  test(`${name}: a violation, which is reported once and closes the wire`, async () => {
    const { ours, theirs, messages, breaches, closed } = open(allowance, options);
    await write(theirs, text);
    await turn();
    assert.equal(breaches.length, 1);
    assert.ok(ours.destroyed && messages.length <= allowance.messages);
    await turn();
    assert.equal(closed(), 0, 'it was closed here');
  });

test('the allowance starts again with the current message', async () => {
  const { wire, theirs, messages, breaches } = open({ bytes: 1_000, messages: 1 });
  await write(theirs, toLine(notice('one')));
  await turn();
  wire.allow({ bytes: 1_000, messages: 1 });
  await write(theirs, toLine(notice('other')));
  await turn();
  assert.deepEqual([messages, breaches], [[notice('one'), notice('other')], []]);
});

test('an end that closes is reported, a released one is not', async () => {
  const left = open({ bytes: 1_000, messages: 1 });
  left.ours.destroy();
  await turn();
  assert.equal(left.closed(), 1);
  const kept = open({ bytes: 1_000, messages: 1 });
  kept.wire.close();
  await turn();
  assert.equal(kept.closed(), 0);
});

type Caller = { calls: { echo: { order: string; answer: string } }; notices: Record<never, never>; failure: string };
type Server = { calls: Record<never, never>; notices: Record<never, never>; failure: string };

/** Connects a caller to a server that answers, fails, or waits until the call is cancelled. */
function connect() {
  const [ours, theirs] = duplexPair();
  const breaches: string[] = [];
  const options = { onNotice: {}, toFailure: String, fromFailure: (text: string) => new Error(text) };
  const wire = toPipeWire(ours, { onBreach: what => void breaches.push(what), onClose: () => {} });
  const caller = openPort<Caller, Server>(wire, { ...options, onCall: {} });
  openPort<Server, Caller>(toPipeWire(theirs, { onClose: () => {} }), {
    ...options,
    onCall: {
      async echo(order, signal) {
        if (order === 'fail') throw 'as it was told to';
        if (order === 'wait')
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject('cancelled')));
        return { data: order, bytes: Buffer.from(order) };
      },
    },
  });
  return { caller, theirs, breaches };
}

test('calls get their own answers and failures, and bytes travel with an answer', async () => {
  const { caller } = connect();
  const calls = ['one', 'fail', 'other'].map(order => caller.call('echo', order));
  const [one, failed, other] = await Promise.allSettled(calls);
  const read = (call: typeof one) => call?.status === 'fulfilled' && [call.value.data, call.value.bytes?.toString()];
  assert.deepEqual(
    [read(one), read(other)],
    [
      ['one', 'one'],
      ['other', 'other'],
    ],
  );
  assert.match(String(failed?.status === 'rejected' && failed.reason), /as it was told to/);
});

test('an abort reaches the other end, and the call fails with its reason', async () => {
  const { caller } = connect();
  const leaving = new AbortController();
  const waiting = caller.call('echo', 'wait', leaving.signal);
  leaving.abort(new Error('the client left'));
  await assert.rejects(waiting, /the client left/);
  await assert.rejects(caller.call('echo', 'one', leaving.signal), /the client left/);
  assert.equal((await caller.call('echo', 'still open')).data, 'still open');
});

test('open and later calls fail with the reason of the end', async () => {
  const { caller } = connect();
  const waiting = caller.call('echo', 'wait');
  caller.close(new Error('the end'));
  await assert.rejects(waiting, /the end/);
  await assert.rejects(caller.call('echo', 'one'), /the end/);
});

test('an answer that no call waits for is a violation', async () => {
  const { theirs, breaches } = connect();
  await write(theirs, toLine({ answer: 7, data: null }));
  await turn();
  assert.deepEqual(breaches, ['it answered a call that is not open']);
});
