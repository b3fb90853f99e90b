import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { ask, readAnswer } from '../../../test/support/asking/slow-reader.ts';
import { collect } from '../../../test/support/collect.ts';
import { createLoggedApp } from '../../../test/support/logged-app.ts';
import type { PlacedItem } from '../../analysis/analyse-batch.ts';
import type { RemoteAnalysis } from '../../analysis/analyse-remote.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { packJson, toPackedJson } from '../../measure/lhr/packed-json.ts';
import { onceClosed } from '../server/client-signal.ts';
import { sendBatchEvents } from './batch.ts';
import { createHolders } from './held-parts.ts';

/** Larger than the buffers of both sockets together. */
const filler = 'x'.repeat(8_000_000);

const toAnalysis = async (url: string): Promise<RemoteAnalysis> => ({
  json: toJson({ url }),
  lighthouseResult: toPackedJson(await packJson(toJson({ filler, url }))),
  cache: { status: 'miss', age: 0, expires_at: '2026-11-20T13:00:00.000Z' },
  ttlSeconds: 3600,
});

const toItem = async (indexes: PlacedItem['indexes'], url: string): Promise<PlacedItem> => ({
  indexes,
  item: { url, strategy: 'mobile', outcome: { ok: true, value: await toAnalysis(url) } },
});

const failed: PlacedItem = {
  indexes: [1],
  item: { url: 'b', strategy: 'mobile', outcome: { ok: false, error: new AnalysisError('page_blank', 'Nothing.') } },
};

/** Starts a batch of five positions whose entries end in another order. */
async function start(t: TestContext, { maxBytes = 1_000_000, end = Promise.resolve(), folder = '' } = {}) {
  const { app, listen, linesWhenQuiet } = createLoggedApp(t);
  const holders = createHolders({ maxBytes, ...(folder ? { folder } : {}) });
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const items = await Promise.all([toItem([2, 4], 'c'), toItem([3], 'd'), failed, toItem([0], 'a')]);
  let isAborted = false;
  app.get('/', async (_request, reply) => {
    const holder = holders.open();
    onceClosed(reply, () => holder.close().then(closed.resolve));
    async function* toItems(signal: AbortSignal) {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason));
      aborted.catch(() => {});
      for (const [index, item] of items.entries()) {
        if (index === 2) {
          begun.resolve();
          await Promise.race([end, aborted]);
        }
        yield item;
      }
    }
    return sendBatchEvents(reply, toItems, 5, holder);
  });
  const socket = ask(await listen(), { target: '/' });
  return {
    socket,
    holders,
    begun: begun.promise,
    closed: closed.promise,
    linesWhenQuiet,
    isAborted: () => isAborted,
  };
}

const readBlocks = (text: string) =>
  text.split('\n\n').flatMap(block => {
    const [, event, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    return event ? [{ event, data: JSON.parse(data) }] : [];
  });

for (const [where, maxBytes] of [
  ['memory', 1_000_000],
  ['a file', 0],
] as const)
  test(`the last event has every entry in its position, held in ${where} until then`, async t => {
    const { socket, holders, closed } = await start(t, { maxBytes });
    const blocks = readBlocks(readAnswer(Buffer.concat(await collect<Buffer>(socket))).text);
    assert.deepEqual(
      blocks.slice(0, -1).map(({ event, data }) => [event, data.stage, data.url, data.done, data.total]),
      ['c', 'c', 'd', 'b', 'a'].map((url, index) => ['progress', 'finished', url, index + 1, 5]),
    );
    const { event, data } = blocks.at(-1) ?? assert.fail();
    assert.deepEqual([event, data.total, data.succeeded, data.failed], ['result', 5, 4, 1]);
    assert.deepEqual(
      data.results.map((result: { url: string }) => result.url),
      ['a', 'b', 'c', 'd', 'c'],
    );
    assert.equal(data.results[1].error.code, 'page_blank');
    for (const index of [0, 2, 3, 4])
      assert.deepEqual(data.results[index].lighthouse_result, { filler, url: data.results[index].url });
    await closed;
    assert.equal(holders.bytesInMemory(), 0);
  });

test('a client that disconnects during a batch ends it, and no buffer is left behind', async t => {
  const never = new Promise<void>(() => {});
  const { socket, holders, begun, closed, linesWhenQuiet, isAborted } = await start(t, { end: never });
  await begun;
  assert.ok(holders.bytesInMemory() > 0);
  socket.destroy();
  await closed;
  assert.deepEqual([holders.bytesInMemory(), isAborted()], [0, true]);
  const lines = await linesWhenQuiet();
  assert.deepEqual(
    lines.map(({ outcome }) => outcome),
    ['client_disconnected'],
  );
});

test('a client that disconnects during the last event leaves no buffer behind, and is not a failure', async t => {
  for (const maxBytes of [0, 1_000_000]) {
    const { socket, holders, closed, linesWhenQuiet } = await start(t, { maxBytes });
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      if (received.includes('event: result')) break;
    }
    await closed;
    assert.equal(holders.bytesInMemory(), 0);
    const lines = await linesWhenQuiet();
    assert.deepEqual(
      lines.map(({ code, outcome }) => code ?? outcome),
      ['page_blank', 'client_disconnected'],
    );
  }
});

test('a batch whose parts cannot be stored fails, and is logged as an internal error', async t => {
  const { socket, linesWhenQuiet } = await start(t, { maxBytes: 0, folder: '/nowhere/at/all' });
  const blocks = readBlocks(readAnswer(Buffer.concat(await collect<Buffer>(socket))).text);
  assert.deepEqual(
    blocks.map(({ event, data }) => [event, data.code]),
    [['failed', 'internal']],
  );
  const lines = await linesWhenQuiet();
  assert.deepEqual(
    lines.map(({ level, code, outcome }) => [level, code ?? outcome]),
    [
      [50, 'internal'],
      [30, 'partial'],
    ],
  );
});
