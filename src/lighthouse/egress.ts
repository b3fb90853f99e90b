import { AnalysisError } from '../errors.ts';
import { toPageFailure } from '../report/page-failure.ts';

/** A browser's only way to the network, opened for one audit. What stands behind it judges where the socket opens. */
export type Egress = {
  proxyUrl: string;
  /** Connections that were refused by policy so far. */
  readonly blocked: number;
  /** Why nothing came of a connection to this URL's host and port; undefined when one was made. */
  refusalOf(url: string): { reason: 'blocked' | 'unknown_name' | 'refused' | 'timeout'; detail: string } | undefined;
  close(): void;
};

/** Opens the way for an audit that begins at this URL; rejects when its name does not resolve. */
export type OpenEgress = (startUrl: string) => Promise<Egress>;

/** Chrome sees a closed proxy connection, whatever the cause; these are the words it has for it without a proxy. */
const netErrors = { refused: 'net::ERR_CONNECTION_REFUSED', timeout: 'net::ERR_CONNECTION_TIMED_OUT' } as const;

export const unknownName = (cause?: unknown): AnalysisError =>
  new AnalysisError('page_unreachable', 'The name of the page does not resolve: check the address.', {
    lighthouseCode: 'DNS_FAILURE',
    lighthouseMessage: 'DNS servers could not resolve the provided domain.',
    cause,
  });

/** What really stopped a document at `url`, or undefined when the way was free. */
export function explainRefusal(egress: Egress, url: string): AnalysisError | undefined {
  const refusal = egress.refusalOf(url);
  if (!refusal) return undefined;
  if (refusal.reason === 'blocked') return new AnalysisError('target_forbidden', refusal.detail);
  if (refusal.reason === 'unknown_name') return unknownName();
  return toPageFailure('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${netErrors[refusal.reason]})`);
}
