import { AnalysisError } from '../../contract/errors.ts';
import { toPageFailure } from '../lhr/page-failure.ts';

/** A browser's only way to the network, opened for one audit. What stands behind it judges where the socket opens. */
export type Egress = {
  /** Fires with the AnalysisError to end the audit with, when it has received all it may, or the way has ended. */
  readonly exhausted: AbortSignal;
  about(url: string): Promise<{
    /** Connections that were refused by policy so far. */
    blocked: number;
    /** Why nothing came of a connection to this URL's host and port; undefined when one was made. */
    refusal: { reason: 'blocked' | 'unknown_name' | 'refused' | 'timeout'; detail: string } | undefined;
    /** Whether how this URL's host failed must be kept from the client: it is inside, and the client may not be. */
    isDiscreet: boolean;
  }>;
  close(): void;
};

/** A way out that a browser can be started with before its page is known. Until it is opened nothing passes. */
export type Gate = {
  readonly proxyUrl: string;
  /**
   * Opens it for the audit that starts at this URL, once.
   * @throws an error with a `reason` when the page is not allowed or its name does not resolve: the gate stays as it
   *   was; the signal's reason
   */
  open(departure: { startUrl: string; signal: AbortSignal }): Promise<Egress>;
  /** False when nothing will ever pass: a browser that was started for it is of no use. */
  readonly isUsable: boolean;
  close(): void;
};

export type OpenGate = () => Promise<Gate>;

/** Chrome sees a closed proxy connection, whatever the cause; these are the words it has for it without a proxy. */
const netErrors = { refused: 'net::ERR_CONNECTION_REFUSED', timeout: 'net::ERR_CONNECTION_TIMED_OUT' } as const;

const unknownName = (cause?: unknown): AnalysisError =>
  new AnalysisError('page_unreachable', 'The host name of the page does not resolve. Check the URL.', {
    lighthouseCode: 'DNS_FAILURE',
    lighthouseMessage: 'DNS servers could not resolve the provided domain.',
    cause,
  });

/** What it means for the client that the way could not be opened. */
export function explainOpening(error: unknown): unknown {
  if (!(error instanceof Error && 'reason' in error)) return error;
  return error.reason === 'blocked' ? new AnalysisError('target_forbidden', error.message) : unknownName(error);
}

const documentFailed = (reason: string) =>
  toPageFailure('FAILED_DOCUMENT_REQUEST', `The document failed (Details: ${reason})`);

/** What really stopped a document at `url`, where that was its connection; else the failure as it is. */
export async function explainFailure(egress: Egress, url: string, failure: unknown): Promise<unknown> {
  if (egress.exhausted.aborted) return egress.exhausted.reason;
  if (!(failure instanceof AnalysisError) || failure.code === 'shutting_down') return failure;
  const { refusal, isDiscreet } = await egress.about(url);
  if (refusal?.reason === 'blocked') return new AnalysisError('target_forbidden', refusal.detail);
  if (refusal?.reason === 'unknown_name') return unknownName();
  // Refused, silent, or closed at once: the difference would give away what stands inside.
  const isWithoutAnswer = failure.code === 'page_unreachable' || failure.code === 'page_timeout';
  const isHidden = isDiscreet && (refusal !== undefined || isWithoutAnswer);
  if (isHidden) return documentFailed('no answer');
  return refusal ? documentFailed(netErrors[refusal.reason]) : failure;
}
