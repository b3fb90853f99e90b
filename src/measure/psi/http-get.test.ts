import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import { httpGet } from './call.ts';

const never = () => new AbortController().signal;

async function get(t: TestContext, answer: (response: ServerResponse) => void, signal = never()) {
  const closed = Promise.withResolvers<void>();
  const { url } = await startLocalServer(t, (_request, response) => {
    response.once('close', closed.resolve);
    answer(response);
  });
  return { answer: await httpGet(new URL(url), {}, signal), closed: closed.promise };
}

async function readAll(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const codeOf = (error: unknown) => (error as { code?: string }).code;

for (const [coding, bytes] of [
  [undefined, Buffer.from('text')],
  ['gzip', gzipSync('text')],
  ['GZIP', gzipSync('text')],
  ['br', brotliCompressSync('text')],
] as const)
  test(`a body is decoded from its content coding (${coding ?? 'none'})`, async t => {
    const { answer } = await get(t, response => {
      if (coding) response.setHeader('content-encoding', coding);
      response.writeHead(503, { 'retry-after': '7' }).end(bytes);
    });
    assert.deepEqual([answer.status, answer.headers['retry-after'], await readAll(answer.body)], [503, '7', 'text']);
  });

test('a truncated body fails with a code, with or without a content coding', async t => {
  const cut = (response: ServerResponse, bytes: Buffer) => response.write(bytes, () => response.destroy());
  const plain = await get(t, response => cut(response, Buffer.from('te')));
  await assert.rejects(readAll(plain.answer.body), error => codeOf(error) === 'UND_ERR_SOCKET');
  const coded = await get(t, response => {
    response.setHeader('content-encoding', 'gzip');
    cut(response, gzipSync('text').subarray(0, -4));
  });
  await assert.rejects(readAll(coded.answer.body), error => codeOf(error) !== undefined);
  const short = await get(t, response => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync('text').subarray(0, -4));
  });
  await assert.rejects(readAll(short.answer.body), error => codeOf(error) === 'Z_BUF_ERROR');
  const wrong = await get(t, response => response.setHeader('content-encoding', 'br').end('text'));
  await assert.rejects(readAll(wrong.answer.body), error => codeOf(error) !== undefined);
});

test('a reader that stops early, or reads nothing, closes the connection', async t => {
  const stopped = await get(t, response => response.write('text'));
  for await (const _chunk of stopped.answer.body) break;
  await stopped.closed;
  const unread = await get(t, response => response.write('text'));
  unread.answer.close();
  await unread.closed;
});

test('an abort ends the request and its connection at any moment', async t => {
  await assert.rejects(get(t, () => assert.fail('it was asked'), AbortSignal.abort()));
  const early = new AbortController();
  await assert.rejects(
    get(t, () => early.abort(), early.signal),
    { name: 'AbortError' },
  );
  const late = new AbortController();
  const { answer, closed } = await get(t, response => response.write('text'), late.signal);
  const reading = readAll(answer.body);
  late.abort();
  await assert.rejects(reading);
  await closed;
});

test('an upgraded connection is a failure and does not hang', async t => {
  await assert.rejects(
    get(t, ({ socket }) =>
      socket?.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\nconnection: upgrade\r\n\r\n'),
    ),
  );
});

test('a port without a server refuses the connection', async () => {
  await assert.rejects(httpGet(new URL('http://127.0.0.1:1/'), {}, never()), error => codeOf(error) === 'ECONNREFUSED');
});
