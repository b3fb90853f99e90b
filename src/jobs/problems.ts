import { AnalysisError } from '../contract/errors.ts';
import { type Problem, toProblem } from '../contract/problem.ts';

/** Problem of a page whose tries were all interrupted. */
export const interruptedProblem = (): Problem =>
  toProblem(new AnalysisError('job_interrupted', 'The service stopped twice while it measured this page.'));

export const cancelledProblem = (): Problem =>
  toProblem(new AnalysisError('job_cancelled', 'The job was cancelled before all of its pages were measured.'));

export const jobNotFound = (): AnalysisError =>
  new AnalysisError('job_not_found', 'No job has this id. Jobs are removed a day after they end.');

export const pageNotFound = (): AnalysisError =>
  new AnalysisError('job_not_found', 'The job has no result for this page, or none yet.');

export const scheduleNotFound = (): AnalysisError =>
  new AnalysisError('schedule_not_found', 'No schedule has this id.');

/** The client has already sent this idempotency key with another request. */
export class KeyReusedError extends Error {
  constructor() {
    super('this key was sent before with another request: choose a new one');
    this.name = 'KeyReusedError';
  }
}
