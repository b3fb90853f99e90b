/**
 * Restores server latency and transferred bytes in Chrome's log for responses that an interception served, because the
 * log lacks them. Simulated throttling is computed from both.
 */
import { gzipSync } from 'node:zlib';
import type { Artifacts } from 'lighthouse';

/** A response that replaced a held one. */
export type ServedAnswer = {
  /** Id of the request in CDP's `Network` domain. */
  requestId: string;
  body: Buffer;
  /** Whether the held response was compressed. */
  isCompressed: boolean;
  /** Time from the request to the response headers, including the connection, in milliseconds. */
  headMs: number;
};

/** Returns the transferred size. A response that was compressed counts with its gzip size, even if it was changed. */
export const toNetworkBytes = (body: Buffer, isCompressed: boolean): number =>
  isCompressed ? gzipSync(body).length : body.length;

/**
 * @param log is not changed, because Lighthouse caches computations by the contents of the log
 * @returns the log with the network values of the held responses
 */
export function restoreServedAnswers(
  log: Artifacts['DevtoolsLog'],
  served: readonly ServedAnswer[],
): Artifacts['DevtoolsLog'] {
  if (served.length === 0) return log;
  const byId = new Map(served.map(answer => [answer.requestId, answer]));
  return log.map(message => {
    const { method } = message;
    if (method === 'Network.responseReceived') {
      const { params } = message;
      const answer = byId.get(params.requestId);
      const { response } = params;
      if (!answer || !response.timing) return message;
      // The start of the request is unknown (-1). Zero would mean that its connection took no time.
      const timing = { ...response.timing, sendEnd: 0, receiveHeadersEnd: answer.headMs };
      return { ...message, params: { ...params, response: { ...response, timing } } };
    }
    if (method === 'Network.loadingFinished') {
      const { params } = message;
      const answer = byId.get(params.requestId);
      if (!answer) return message;
      const heads = Math.max(0, params.encodedDataLength - answer.body.length);
      const encodedDataLength = heads + toNetworkBytes(answer.body, answer.isCompressed);
      return { ...message, params: { ...params, encodedDataLength } };
    }
    return message;
  });
}
