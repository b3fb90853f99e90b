import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fastify from 'fastify';
import { ask, readAnswer } from '../../../test/support/asking/slow-reader.ts';
import { collect } from '../../../test/support/collect.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { type Events, sendEvents } from './event-stream.ts';

test('a comment every 15 s prevents proxies from closing an idle connection', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const begun = Promise.withResolvers<Events>();
  const done = Promise.withResolvers<void>();
  const app = fastify({ forceCloseConnections: true });
  t.after(() => app.close());
  app.get('/', (_request, reply) =>
    sendEvents(reply, events => {
      begun.resolve(events);
      return done.promise;
    }),
  );
  const response = await fetch(await app.listen({ host: '127.0.0.1', port: 0 }));
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const read = async () => (await reader?.read())?.value;
  assert.equal(response.headers.get('x-accel-buffering'), 'no');
  assert.equal(await read(), ': \n\n', 'at once, so that the headers go out');
  for (const _ of [1, 2, 3]) {
    t.mock.timers.tick(14_999);
    t.mock.timers.tick(1);
    assert.equal(await read(), ': \n\n');
  }
  // A heartbeat that was sent too early would precede the result here.
  t.mock.timers.tick(14_999);
  (await begun.promise).end('result', [toJson({ ok: true })]);
  assert.equal(await read(), 'event: result\ndata: {"ok":true}\n\n');
  done.resolve();
  assert.equal(await read(), undefined);
});

/** Larger than the buffers of both sockets together. */
const filler = 'x'.repeat(8_000_000);

/** Starts a stream whose client does not read yet. The test advances the clock of its heartbeats. */
async function startUnread(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const begun = Promise.withResolvers<Events>();
  const done = Promise.withResolvers<void>();
  const app = fastify({ forceCloseConnections: true });
  t.after(() => app.close());
  app.get('/', (_request, reply) =>
    sendEvents(reply, events => {
      begun.resolve(events);
      return done.promise;
    }),
  );
  const socket = ask({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }, { target: '/' });
  const events = await begun.promise;
  return {
    events,
    beat: (times: number) => {
      for (let beat = 0; beat < times; beat += 1) t.mock.timers.tick(15_000);
    },
    /** Reads the whole response. */
    read: async () => {
      done.resolve();
      return readAnswer(Buffer.concat(await collect<Buffer>(socket))).text;
    },
  };
}

test('heartbeats do not wait for a client that does not read', async t => {
  const { events, beat, read } = await startUnread(t);
  events.send('progress', { filler });
  beat(1000);
  events.end('result', [toJson({ ok: true })]);
  const blocks = (await read()).split('\n\n');
  assert.ok(blocks.filter(block => block === ': ').length <= 2, `${blocks.length} blocks`);
  assert.equal(blocks.at(-2), 'event: result\ndata: {"ok":true}');
});

test('no heartbeat follows the last event, however slowly it is read', async t => {
  const { events, beat, read } = await startUnread(t);
  events.end('result', [toJson({ filler })]);
  beat(3);
  await new Promise(setImmediate);
  beat(3);
  const text = await read();
  assert.ok(text.endsWith(`event: result\ndata: {"filler":"${filler}"}\n\n`), text.slice(-100));
});
