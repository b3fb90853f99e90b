import { toAnalysisError } from '../../analysis/outcome.ts';
import { AnalysisError } from '../../contract/errors.ts';

const fromFramework: Readonly<Record<string, AnalysisError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new AnalysisError(
    'payload_too_large',
    'The request body is larger than this route accepts.',
  ),
};

/** Converts any error to a failure. An unexpected error becomes `internal`, without its message. */
export const toFailure = (error: unknown): AnalysisError => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (Object.hasOwn(fromFramework, code) ? fromFramework[code] : undefined) ?? toAnalysisError(error);
};
