/** A client that pauses while it reads an answer. It uses its own socket, so nothing reads ahead. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { endOfHead, readHead } from './raw-request.ts';

export type SlowRequest = {
  method?: string;
  target: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
};

export type WholeAnswer = { status: number; headers: Headers; text: string };

/** Bytes read between two pauses. */
const bytesBetweenPauses = 500_000;

/** Sends the request and returns the socket before anything is read. */
export function ask(service: { url: string }, { method = 'GET', target, headers = {}, body }: SlowRequest): Socket {
  const { hostname, port, host } = new URL(service.url);
  const all = { host, connection: 'close', ...headers, ...(body ? { 'content-length': Buffer.byteLength(body) } : {}) };
  const lines = [`${method} ${target} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)];
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
  return socket;
}

/** @throws AssertionError if the body ends before its last chunk */
function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const endOfSize = body.indexOf('\r\n', at);
    assert.ok(endOfSize > 0, `the answer was cut off after ${body.length} bytes`);
    const size = Number.parseInt(body.toString('latin1', at, endOfSize), 16);
    if (size === 0) return Buffer.concat(chunks);
    const start = endOfSize + 2;
    assert.ok(body.length > start + size, `the answer was cut off after ${body.length} bytes`);
    chunks.push(body.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** Parses and decompresses an answer. @throws AssertionError if it was cut off */
export function readAnswer(received: Buffer): WholeAnswer {
  const end = received.indexOf(endOfHead);
  assert.ok(end > 0, 'no answer');
  const head = readHead(received.toString('latin1', 0, end));
  const sent = received.subarray(end + endOfHead.length);
  const length = head.headers.get('content-length');
  if (length !== null) assert.equal(sent.length, Number(length), 'as many bytes as were announced');
  const body = length === null ? joinChunks(sent) : sent;
  const plain = head.headers.get('content-encoding') === 'gzip' ? gunzipSync(body) : body;
  return { ...head, text: plain.toString() };
}

/**
 * Reads an answer to its end and pauses after every 500,000 bytes.
 * @param pause the client reads on once its promise resolves
 */
export async function readSlowly(
  service: { url: string },
  request: SlowRequest,
  pause: () => Promise<void>,
): Promise<WholeAnswer & { pauses: number }> {
  const socket = ask(service, request);
  const received: Buffer[] = [];
  let sincePause = 0;
  let pauses = 0;
  for await (const chunk of socket) {
    received.push(chunk);
    sincePause += chunk.length;
    if (sincePause < bytesBetweenPauses) continue;
    sincePause = 0;
    pauses += 1;
    await pause();
  }
  return { ...readAnswer(Buffer.concat(received)), pauses };
}
