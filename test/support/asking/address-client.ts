/** Clients of a service under attack: each has its own loopback address, so that the service tells them apart. */
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export type Asked = {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the answer stays unread for this long, in milliseconds. */
  readonly unreadMs?: number;
};

/** `status` is 0 for a connection that was closed without an answer. */
export type Answered = { readonly status: number; readonly retryAfter: string | undefined; readonly text: string };

export type Client = (path: string, asked?: Asked) => Promise<Answered>;

const mostText = 100_000;

/** @param localAddress address of the client, such as 127.0.0.2 */
export const createClient =
  (baseUrl: string, localAddress: string): Client =>
  (path, { method = 'GET', body, headers = {}, unreadMs = 0 } = {}) =>
    new Promise(resolve => {
      const { hostname, port } = new URL(baseUrl);
      const length = body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` };
      const options = { hostname, port, path, method, localAddress, agent: false };
      const asking = request({ ...options, headers: { 'content-type': 'application/json', ...length, ...headers } });
      const end = (status: number, retryAfter?: string, text = '') => resolve({ status, retryAfter, text });
      asking
        .on('error', () => end(0))
        .on('response', async response => {
          if (unreadMs > 0) await delay(unreadMs);
          let text = '';
          response.on('data', chunk => {
            if (text.length < mostText) text += chunk;
          });
          response.on('close', () => end(response.statusCode ?? 0, response.headers['retry-after'], text));
        });
      asking.end(body);
    });

/** Sends a body byte by byte, until the connection is closed. */
export const drip = (
  baseUrl: string,
  {
    path,
    headers,
    first,
    localAddress,
  }: { path: string; headers: Record<string, string>; first: Buffer; localAddress: string },
): Promise<void> =>
  new Promise(resolve => {
    const { hostname, port } = new URL(baseUrl);
    const asking = request({ hostname, port, path, method: 'POST', localAddress, agent: false, headers });
    const timer = setInterval(() => asking.write(' '), 500);
    const end = () => {
      clearInterval(timer);
      asking.destroy();
      resolve();
    };
    asking.on('error', end).on('response', end).on('close', end);
    asking.write(first);
  });
