/** The headers of Standard Webhooks (https://www.standardwebhooks.com): who has the secret can tell that we sent it. */
import { createHmac } from 'node:crypto';

export type SignedHeaders = {
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
