/** What goes to the standard output for programs: the service's own bodies. */

import { toWords } from '../../presentation/errors-in-words.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import type { FinishedMeasurement } from '../measurements.ts';
import { toPlainJson } from '../text/terminal/plain-text.ts';

/** Without its path, which may hold a secret. */
function toHostAndPort(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** For a failure of which no body arrived: the fields of a Problem that are known. */
function toProblem(failure: FailureReason, baseUrl: string): unknown {
  const { heading, what, code, canRetry } = toWords(failure);
  // The page was loaded from its service; a command was given an address.
  const detail = failure.kind === 'unreachable' ? `No service answers at ${toHostAndPort(baseUrl)}.` : what.join(' ');
  return { title: heading, detail, code, retryable: canRetry };
}

const toBody = ({ body, failure }: FinishedMeasurement, baseUrl: string): unknown =>
  failure && failure.kind !== 'problem' && failure.kind !== 'invalid' ? toProblem(failure, baseUrl) : body;

/** Among others a failure names its page, as in a batch. */
const toEntry = (measured: FinishedMeasurement, baseUrl: string): unknown =>
  measured.failure ? { url: measured.job.url, error: toBody(measured, baseUrl) } : measured.body;

/**
 * One: its body. Several: an array of those that are done, in the order asked.
 * @param baseUrl of the service that was asked
 */
export function toJsonOutput(all: readonly FinishedMeasurement[], isList: boolean, baseUrl: string): string {
  const [only] = all;
  const value = !isList && only ? toBody(only, baseUrl) : all.map(measured => toEntry(measured, baseUrl));
  return `${toPlainJson(value, 2)}\n`;
}

/** A line of NDJSON: the entry, and its index in what was asked. */
export const toJsonLine = (measured: FinishedMeasurement, baseUrl: string): string =>
  `${toPlainJson({ index: measured.job.index, ...(toEntry(measured, baseUrl) as object) })}\n`;
