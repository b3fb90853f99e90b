import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';

export type HttpAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Without its content coding. To stop reading closes the connection. */
  readonly body: AsyncIterable<Buffer>;
  /** Instead of reading the body. */
  close(): void;
};

const decoders: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, br: createBrotliDecompress };

function decode(response: IncomingMessage): AsyncIterable<Buffer> {
  const coding = response.headers['content-encoding']?.toLowerCase() ?? '';
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  // A failure of either ends both, and is thrown to the reader of the decoder.
  return decoder ? pipeline(response, decoder, () => {}) : response;
}

/**
 * One GET, with no limit of time but its signal: fetch gives up after 300 s without headers, or between two parts of a
 * body, whatever its signal says. A redirect is an answer like any other.
 * @throws an error with a `code` when the connection fails, here or while the body is read; once the signal is aborted
 *   what it throws says nothing
 */
export function httpGet(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const options = { headers: { 'accept-encoding': Object.keys(decoders).join(', '), ...headers }, signal };
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options);
  request.once('response', response => {
    const { statusCode: status = 0, headers } = response;
    resolve({ status, headers, body: decode(response), close: () => void response.destroy() });
  });
  request.on('error', reject);
  // A connection that became something else (101) closes without an error.
  request.once('close', () => reject(new Error('The connection closed before the answer.')));
  request.end();
  return promise;
}
