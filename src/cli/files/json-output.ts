/** What goes to the standard output for programs: the service's own bodies. */
import { toWords } from '../web/errors-in-words.ts';
import type { Trouble } from '../web/trouble.ts';
import type { Measured } from './jobs.ts';
import { toPlainJson } from './plain-text.ts';

/** Its path is left out: it may hold what lets people in. */
function toHostAndPort(baseUrl: string): string {
  const { protocol, hostname, port } = new URL(baseUrl);
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** For a failure of which no body arrived: the fields of a Problem that are known. */
function toProblem(trouble: Trouble, baseUrl: string): unknown {
  const { heading, what, code, canRetry } = toWords(trouble);
  // The page was loaded from its service; a command was given an address.
  const detail = trouble.kind === 'unreachable' ? `No service answers at ${toHostAndPort(baseUrl)}.` : what.join(' ');
  return { title: heading, detail, code, retryable: canRetry };
}

const toBody = ({ body, trouble }: Measured, baseUrl: string): unknown =>
  trouble && trouble.kind !== 'problem' && trouble.kind !== 'invalid' ? toProblem(trouble, baseUrl) : body;

/** Among others a failure says whose it is, as in a batch. */
const toEntry = (measured: Measured, baseUrl: string): unknown =>
  measured.trouble ? { url: measured.job.url, error: toBody(measured, baseUrl) } : measured.body;

/**
 * One: its body. Several: an array in the order asked, however many of them are through.
 * @param baseUrl of the service that was asked
 */
export function toJsonOutput(all: readonly Measured[], isList: boolean, baseUrl: string): string {
  const [only] = all;
  const value = !isList && only ? toBody(only, baseUrl) : all.map(measured => toEntry(measured, baseUrl));
  return `${toPlainJson(value, 2)}\n`;
}

/** A line of NDJSON: the entry, and its place in what was asked. */
export const toJsonLine = (measured: Measured, baseUrl: string): string =>
  `${toPlainJson({ index: measured.job.index, ...(toEntry(measured, baseUrl) as object) })}\n`;
