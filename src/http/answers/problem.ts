import { toAnalysisError } from '../analysis/outcome.ts';
import { AnalysisError, errorTable } from '../errors.ts';
import type { Problem } from './schemas.ts';

/** The only place that turns an error into a status. */
export function toProblem(error: AnalysisError): Problem {
  const { status, retryable, title } = errorTable[error.code];
  return {
    type: `urn:rangelight:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    retryable,
    ...(error.source === undefined ? {} : { source: error.source }),
    ...(error.pageStatus === undefined ? {} : { page_status: error.pageStatus }),
    ...(error.lighthouseCode === undefined ? {} : { lighthouse_code: error.lighthouseCode }),
  };
}

/** What the framework throws of its own, in our words. */
const fromFramework: Readonly<Record<string, AnalysisError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new AnalysisError('payload_too_large', 'The request body is larger than 1 MB.'),
};

/** Any throw as an expected failure; what nobody foresaw becomes `internal`, its message hidden. */
export const toFailure = (error: unknown): AnalysisError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (Object.hasOwn(fromFramework, code) ? fromFramework[code] : undefined) ?? toAnalysisError(error);
};
