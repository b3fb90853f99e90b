/**
 * Chrome's log of an answer that was served out of an interception has neither the time of the server nor the bytes that
 * crossed the network. Simulated throttling is computed from both, so they are written into it again.
 */
import { gzipSync } from 'node:zlib';
import type { Artifacts } from 'lighthouse';

/** An answer that was served in place of one that was held. */
export type ServedAnswer = {
  /** CDP `Network`'s id of the request. */
  requestId: string;
  body: Buffer;
  /** Whether the answer was compressed when it came. */
  isCompressed: boolean;
  /** Milliseconds from the request to the head of the answer, its connection included. */
  headMs: number;
};

/** A compressed answer counts as gzip makes it, changed or not. */
export const toNetworkBytes = (body: Buffer, isCompressed: boolean): number =>
  isCompressed ? gzipSync(body).length : body.length;

type Log = Artifacts['DevtoolsLog'];

/**
 * @param log stays as it is: Lighthouse finds what it computed from a log by the log's contents
 * @returns the log with the served answers as the network brought the ones that they stand for
 */
export function restoreServedAnswers(log: Log, served: readonly ServedAnswer[]): Log {
  if (served.length === 0) return log;
  const byId = new Map(served.map(answer => [answer.requestId, answer]));
  return log.map(message => {
    const { method } = message;
    if (method === 'Network.responseReceived') {
      const { params } = message;
      const answer = byId.get(params.requestId);
      const { response } = params;
      if (!answer || !response.timing) return message;
      // The start of the request stays unknown (-1): a time of zero would say that its connection took no time.
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
