import { AnalysisError } from '../contract/errors.ts';

/** How one of several analyses ended; one that fails does not fail the others. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: AnalysisError };

/** An unexpected error: the client learns that it happened, the log why. */
export const toAnalysisError = (error: unknown): AnalysisError =>
  error instanceof AnalysisError
    ? error
    : new AnalysisError('internal', 'Internal error. The log of the service contains the cause.', { cause: error });

/**
 * Waits for an analysis and returns how it ended. A signal that was aborted with an AnalysisError, as when the service
 * stops, is how it ended, too.
 * @throws the signal's reason when the client disconnected
 */
export async function settle<T>(analysis: Promise<T>, signal: AbortSignal): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await analysis };
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (signal.aborted && !(reason instanceof AnalysisError)) throw reason;
    return { ok: false, error: toAnalysisError(reason) };
  }
}
