/**
 * Sends one POST request to a URL that a client named: only to allowed IP addresses, without redirects, and with a
 * short timeout.
 */

import { createHmac } from 'node:crypto';
import { isIP } from 'node:net';
import { messageOf } from '../../contract/errors.ts';
import { type AllowedAgentParts, createAllowedAgent } from '../../measure/egress/allowed-agent.ts';
import { DialError } from '../../measure/egress/dial.ts';
import { classifyAddress } from '../../measure/targets/address.ts';
import { classifyName } from '../../measure/targets/host-name.ts';

/*
 * Headers of Standard Webhooks (https://www.standardwebhooks.com). They prove to a receiver that has the secret that
 * this service sent the callback.
 */

type SignedHeaders = {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
};

/** @param key the decoded bytes of the secret */
export function sign(key: Uint8Array, { id, body, nowMs }: { id: string; body: string; nowMs: number }): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** Outcome of a try. `isFinal`: a retry cannot succeed. `isPrivate`: its reason would reveal a private host. */
export type Sent = { ok: true } | { ok: false; reason: string; isFinal: boolean; isPrivate?: boolean };

/** A message in plain text starts with a URL, never with a brace. */
const toContentType = (body: string): string =>
  body.startsWith('{') ? 'application/json' : 'text/plain; charset=utf-8';

/** Max duration of a request. */
export const usualTimeoutMs = 10_000;

const failed = (reason: string, isFinal = false): Sent => ({ ok: false, reason, isFinal });

const toOutcome = (status: number): Sent => {
  if (status >= 200 && status < 300) return { ok: true };
  if (status === 410) return failed('HTTP 410 (Gone)', true);
  if (status >= 300 && status < 400) return failed(`HTTP ${status}: redirects are not followed`);
  return failed(`HTTP ${status}`);
};

/** @param signal aborts the request when the service stops */
export async function send(
  parts: AllowedAgentParts,
  href: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
  signal: AbortSignal,
  timeoutMs = usualTimeoutMs,
): Promise<Sent> {
  const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const { request } = await import('undici');
  const host = new URL(href).hostname.replace(/^\[(.*)\]$/, '$1');
  let isPrivate = isIP(host) === 0 && classifyName(host) !== 'public';
  const agent = await createAllowedAgent(parts, stop, addresses => {
    isPrivate ||= addresses.some(address => classifyAddress(address) !== 'public');
  });
  const mark = (sent: Sent): Sent => (sent.ok ? sent : { ...sent, isPrivate });
  try {
    const { statusCode } = await request(href, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...headers, 'content-type': toContentType(body) },
      body,
      reset: true,
      signal: stop,
    });
    return mark(toOutcome(statusCode));
  } catch (error) {
    if (error instanceof DialError && error.reason === 'blocked') return failed(error.message, true);
    if (error instanceof DialError) return mark(failed(error.message));
    if (stop.aborted) return mark(failed(signal.aborted ? 'the service stopped' : 'no response in time'));
    const isRefused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
    return mark(failed(isRefused ? 'the connection was refused' : messageOf(error)));
  } finally {
    // The response body is never read.
    await agent.destroy();
  }
}
