/** Writes the service's responses to standard output, for programs. */

import { type FailureReason, toWords } from '../../presentation/errors-in-words.ts';
import type { FinishedMeasurement } from '../measurements.ts';
import { toPlainJson } from '../text/terminal/plain-text.ts';

/** Removes the path, which may contain a secret. */
function toHostAndPort(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Returns a Problem with the known fields, for a failure without a response. */
function toProblem(failure: FailureReason, baseUrl: string): unknown {
  const { heading, what, code, canRetry } = toWords(failure);
  // The wording for the page refers to the page's own service, but a command knows the service by its URL.
  const detail = failure.kind === 'unreachable' ? `No service responds at ${toHostAndPort(baseUrl)}.` : what.join(' ');
  return { title: heading, detail, code, retryable: canRetry };
}

const toBody = ({ body, failure }: FinishedMeasurement, baseUrl: string): unknown =>
  failure && failure.kind !== 'problem' && failure.kind !== 'invalid' ? toProblem(failure, baseUrl) : body;

/** Returns an entry of a list, in which a failure contains the URL of its page. */
const toEntry = (measured: FinishedMeasurement, baseUrl: string): unknown =>
  measured.failure ? { url: measured.job.url, error: toBody(measured, baseUrl) } : measured.body;

/**
 * Returns the response of a single job, or an array of all finished ones, in the order of the jobs.
 * @param baseUrl URL of the service
 */
export function toJsonOutput(all: readonly FinishedMeasurement[], isList: boolean, baseUrl: string): string {
  const [only] = all;
  const value = !isList && only ? toBody(only, baseUrl) : all.map(measured => toEntry(measured, baseUrl));
  return `${toPlainJson(value, 2)}\n`;
}

/** Returns a line of NDJSON: the entry, and its index among the jobs. */
export const toJsonLine = (measured: FinishedMeasurement, baseUrl: string): string =>
  `${toPlainJson({ index: measured.job.index, ...(toEntry(measured, baseUrl) as object) })}\n`;
