import { AnalysisError } from '../../contract/errors.ts';
import type { Egress, Gate } from '../egress/egress-proxy.ts';
import { toPageFailure } from '../lhr/page-failure.ts';

export type OpenGate = () => Promise<Gate>;

/** Chrome's messages for failed connections without a proxy. With the proxy, it only sees a closed connection. */
const netErrors = {
  refused: 'net::ERR_CONNECTION_REFUSED',
  insecure: 'net::ERR_BAD_SSL_CLIENT_AUTH_CERT',
  timeout: 'net::ERR_CONNECTION_TIMED_OUT',
  limit: 'net::ERR_INSUFFICIENT_RESOURCES',
} as const;

const unknownName = (cause?: unknown): AnalysisError =>
  new AnalysisError('page_unreachable', 'The host name of the page does not resolve. Check the URL.', {
    lighthouseCode: 'DNS_FAILURE',
    lighthouseMessage: 'DNS servers could not resolve the provided domain.',
    cause,
  });

/** Converts an error of `Gate.open` to one for the client. */
export function explainOpening(error: unknown): unknown {
  if (!(error instanceof Error && 'reason' in error)) return error;
  return error.reason === 'blocked' ? new AnalysisError('target_forbidden', error.message) : unknownName(error);
}

const documentFailed = (reason: string) =>
  toPageFailure('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`);

/**
 * Returns the cause of a failure if the network access knows it, such as a failed connection of the document at `url`;
 * otherwise the failure unchanged. All failures of private hosts look the same.
 */
export async function explainFailure(egress: Egress, url: string, failure: unknown): Promise<unknown> {
  if (egress.exhausted.aborted) return egress.exhausted.reason;
  if (!(failure instanceof AnalysisError) || failure.code === 'shutting_down') return failure;
  const { refusal, isDiscreet } = await egress.about(url);
  if (refusal?.reason === 'blocked') return new AnalysisError('target_forbidden', refusal.detail);
  if (refusal?.reason === 'unknown_name') return unknownName();
  // The kind of failure (refused, timed out, closed) would reveal private hosts.
  const isWithoutAnswer = failure.code === 'page_unreachable' || failure.code === 'page_timeout';
  const isHidden = isDiscreet && (refusal !== undefined || isWithoutAnswer);
  if (isHidden) return documentFailed('no answer');
  // A later connection to the host of the document explains no other failure.
  return refusal && isWithoutAnswer ? documentFailed(netErrors[refusal.reason]) : failure;
}
