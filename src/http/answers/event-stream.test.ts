import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { toJson } from '../report/json-bytes.ts';
import { type Events, sendEvents } from './event-stream.ts';

test('while nothing happens a comment every 15 s keeps proxies from closing the connection', async t => {
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
  // Had one come before its time, it would stand here.
  t.mock.timers.tick(14_999);
  (await begun.promise).end('result', toJson({ ok: true }));
  assert.equal(await read(), 'event: result\ndata: {"ok":true}\n\n');
  done.resolve();
  assert.equal(await read(), undefined);
});
