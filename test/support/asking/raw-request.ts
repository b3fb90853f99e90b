/** Requests written as bytes, for what `fetch` does not allow. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';

export type RawAnswer = { status: number; headers: Headers; body: string };

export const endOfHead = '\r\n\r\n';

export const readHead = (head: string): { status: number; headers: Headers } => {
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(' ')[1]), headers };
};

const readAnswers = (received: Buffer, hasBodies: boolean): RawAnswer[] => {
  const answers: RawAnswer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf(endOfHead);
    assert.ok(end >= 0, `no HTTP answer: ${rest.toString().slice(0, 200)}`);
    const head = readHead(rest.toString('latin1', 0, end));
    const start = end + endOfHead.length;
    const length = hasBodies ? Number(head.headers.get('content-length') ?? 0) : 0;
    answers.push({ ...head, body: rest.toString('utf8', start, start + length) });
    rest = rest.subarray(start + length);
  }
  return answers;
};

/** Sends bytes and returns everything received until the server closes the connection. */
function exchange(service: { url: string }, bytes: string): Promise<Buffer> {
  const { hostname, port } = new URL(service.url);
  const received = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes, 'latin1'));
  socket.on('data', chunk => chunks.push(chunk));
  socket.on('error', received.reject);
  socket.on('close', () => received.resolve(Buffer.concat(chunks)));
  return received.promise;
}

export type RawRequest = {
  method?: string;
  target: string;
  /** The service's own host by default. */
  host?: string;
  headers?: readonly string[];
  body?: string;
};

const toBytes = ({ method = 'GET', target, headers = [], body }: RawRequest, host: string, isLast: boolean): string =>
  [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers,
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    ...(isLast ? ['Connection: close'] : []),
    '',
    body ?? '',
  ].join('\r\n');

/** Sends one request exactly as written: the target is not encoded, and each header is a whole line. */
export async function sendRaw(service: { url: string }, request: RawRequest): Promise<RawAnswer> {
  const received = await exchange(service, toBytes(request, request.host ?? new URL(service.url).host, true));
  const [answer] = readAnswers(received, request.method !== 'HEAD');
  assert.ok(answer, 'the connection was closed without an answer');
  return answer;
}

/** Sends several GETs on one connection without waiting for answers. The service receives them in this order. */
export async function sendPipelined(service: { url: string }, targets: readonly string[]): Promise<RawAnswer[]> {
  const { host } = new URL(service.url);
  const requests = targets.map((target, index) => toBytes({ target }, host, index === targets.length - 1));
  return readAnswers(await exchange(service, requests.join('')), true);
}

export const jsonOf = <Body>({ body }: RawAnswer): Body => JSON.parse(body);
