import { AnalysisError } from '../contract/errors.ts';

/** Outcome of one of several analyses: a failure does not affect the others. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: AnalysisError };

/** Converts an unexpected error to `internal`: the client learns that it happened, and the log contains the cause. */
export const toAnalysisError = (error: unknown): AnalysisError =>
  error instanceof AnalysisError
    ? error
    : new AnalysisError('internal', 'Internal error. The service log shows the cause.', { cause: error });

/**
 * Waits for an analysis and returns its outcome. If the signal was aborted with an AnalysisError, as when the service
 * stops, that error is the outcome.
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
