import { AnalysisError } from '../../../contract/errors.ts';
import type { Jobs } from '../../../jobs/jobs.ts';
import { StoreFaultError } from '../../../storage/database/fault.ts';
import { notText, ValidationFailure } from '../../input/validation-error.ts';

export type JobsSource = { jobs: Jobs };

const retryAfterSeconds = 5;

/** Reads or changes jobs or schedules. @throws AnalysisError `jobs_unavailable` if their database cannot be used now */
export async function askJobs<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof StoreFaultError)) throw cause;
    if (cause.code === 'invalid_input') throw new ValidationFailure([notText(['body'])]);
    const detail = `Jobs cannot be read or changed now: ${cause.message}`;
    throw new AnalysisError('jobs_unavailable', detail, { retryAfterSeconds, cause });
  }
}
