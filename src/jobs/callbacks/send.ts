/** One POST to a URL that a client named: to an address that the policy allows, without redirects, and soon over. */

import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DialError, dial, type Network, resolveHost } from '../../measure/egress/dial.ts';
import { portOf } from '../../measure/targets/endpoint.ts';
import type { TargetPolicy } from '../../measure/targets/policy.ts';

/* The headers of Standard Webhooks (https://www.standardwebhooks.com): who has the secret can tell that we sent it. */

type SignedHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/** @param key the bytes that the secret stands for */
export function sign(key: Uint8Array, { id, body, nowMs }: { id: string; body: string; nowMs: number }): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** `isFinal`: no further try can succeed. */
export type Sent = { ok: true } | { ok: false; reason: string; isFinal: boolean };

export type SendParts = { network: Network; policy: TargetPolicy };

const usualTimeoutMs = 10_000;

const failed = (reason: string, isFinal = false): Sent => ({ ok: false, reason, isFinal });

const toHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

async function open({ network, policy }: SendParts, url: URL, signal: AbortSignal): Promise<Socket> {
  const host = toHost(url);
  const addresses = await resolveHost(network, host, signal);
  return dial(network, policy.auditPolicyFor(host, addresses), { host, port: portOf(url), addresses }, signal);
}

const secure = (socket: Socket, url: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const secured = connectTls({ socket, servername: toHost(url), ALPNProtocols: ['http/1.1'] });
    secured.once('secureConnect', () => resolve(secured)).once('error', reject);
  });

const post = (
  socket: Socket,
  url: URL,
  { headers, body, signal }: { headers: Readonly<Record<string, string>>; body: string; signal: AbortSignal },
): Promise<number> =>
  new Promise((resolve, reject) => {
    const sending = request({
      createConnection: () => socket,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: url.host,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        connection: 'close',
      },
      signal,
    });
    sending.once('error', reject);
    sending.once('response', response => {
      resolve(response.statusCode ?? 0);
      // What it says is nobody's matter.
      response.destroy();
    });
    sending.end(body);
  });

const toOutcome = (status: number): Sent => {
  if (status >= 200 && status < 300) return { ok: true };
  if (status === 410) return failed('it answered 410: gone', true);
  if (status >= 300 && status < 400) return failed(`it answered ${status}: redirects are not followed`);
  return failed(`it answered ${status}`);
};

/** @param signal ends it with the service */
export async function send(
  parts: SendParts,
  href: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
  timeoutMs = usualTimeoutMs,
): Promise<Sent> {
  const url = new URL(href);
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  let socket: Socket | undefined;
  try {
    socket = await open(parts, url, stop);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    stop.addEventListener('abort', () => reject(stop.reason), { once: true });
    const secured = url.protocol === 'https:' ? await Promise.race([secure(socket, url), aborted]) : socket;
    return toOutcome(await post(secured, url, { headers, body, signal: stop }));
  } catch (error) {
    if (error instanceof DialError) return failed(error.message, error.reason === 'blocked');
    if (stop.aborted) return failed(signal.aborted ? 'the service stopped' : 'it did not answer in time');
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    socket?.destroy();
  }
}
