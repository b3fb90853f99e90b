import { gunzipSync } from 'node:zlib';
import { harFromMessages } from 'chrome-har';
import { secretHeaders } from '../../contract/access/secret-headers.ts';
import { findExcess, maxNetworkLogBytes, networkLogBounds } from '../../contract/json-bounds.ts';
import type { Bytes } from '../../measure/lhr/measured.ts';

/** A message of the DevTools protocol. */
type Logged = { readonly params?: { associatedCookies?: unknown } };

/**
 * Converts a network log to the HAR format, without cookies, credentials and sent data; undefined if the log is damaged
 * or too large.
 */
export function writeHar({ bytes, isPacked }: { bytes: Bytes; isPacked: boolean }): Bytes | undefined {
  try {
    const log = isPacked ? gunzipSync(bytes, { maxOutputLength: maxNetworkLogBytes }) : bytes;
    if (log.byteLength > maxNetworkLogBytes || findExcess(log, networkLogBounds) !== undefined) return undefined;
    const messages: Logged[] = JSON.parse(Buffer.from(log.buffer, log.byteOffset, log.byteLength).toString('utf8'));
    for (const { params } of messages) delete params?.associatedCookies;
    const har = harFromMessages(messages);
    for (const { request, response } of har.log.entries) {
      for (const message of [request, response]) {
        message.headers = message.headers.filter(({ name }) => !secretHeaders.test(name));
        message.cookies = [];
      }
      delete request.postData;
    }
    return Buffer.from(JSON.stringify(har));
  } catch {
    return undefined;
  }
}
