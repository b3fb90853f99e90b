import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../../test/support/asking/slow-reader.ts';
import { collect } from '../../../test/support/collect.ts';
import { createLoggedApp } from '../../../test/support/logged-app.ts';
import type { JsonPart } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

test('an answer that fails midway is cut off, and the log does not blame the client', async t => {
  for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
    const { app, listen, linesWhenQuiet } = createLoggedApp(t);
    async function* toParts(): AsyncGenerator<JsonPart> {
      yield Buffer.from('{"results":[');
      throw new Error('an unforeseen error');
    }
    app.get('/', (_request, reply) => streamParts(reply, toParts(), 'application/json'));
    const service = await listen();
    const text = Buffer.concat(await collect<Buffer>(ask(service, { target: '/', headers }))).toString('latin1');
    assert.match(text, /^HTTP\/1.1 200 /);
    assert.ok(!text.endsWith('0\r\n\r\n'), 'the last chunk is missing');
    const lines = await linesWhenQuiet();
    const [failure] = lines.filter(({ code }) => code === 'internal');
    assert.match(JSON.stringify(failure?.err), /an unforeseen error/);
    const last = lines.at(-1);
    assert.deepEqual([last?.msg, last?.outcome, last?.status], ['answer cut off', 'internal', undefined]);
  }
});
