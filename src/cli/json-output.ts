/** What goes to the standard output for programs: the service's own bodies. */
import { toWords } from '../web/errors-in-words.ts';
import type { Trouble } from '../web/trouble.ts';
import type { Measured } from './jobs.ts';
import { toPlainJson } from './plain-text.ts';

/** For a failure of which no body arrived: the fields of a Problem that are known. */
function toProblem(trouble: Trouble): unknown {
  const { heading, what, code, canRetry } = toWords(trouble);
  return { title: heading, detail: what.join(' '), code, retryable: canRetry };
}

const toBody = ({ body, trouble }: Measured): unknown =>
  trouble && trouble.kind !== 'problem' && trouble.kind !== 'invalid' ? toProblem(trouble) : body;

/** Among others a failure says whose it is, as in a batch. */
const toEntry = (measured: Measured): unknown =>
  measured.trouble ? { url: measured.job.url, error: toBody(measured) } : measured.body;

/** One: its body. Several: an array in the order asked, however many of them are through. */
export function toJsonOutput(all: readonly Measured[], isList: boolean): string {
  const [only] = all;
  const value = !isList && only ? toBody(only) : all.map(toEntry);
  return `${toPlainJson(value, 2)}\n`;
}

/** A line of NDJSON: the entry, and its place in what was asked. */
export const toJsonLine = (measured: Measured): string =>
  `${toPlainJson({ index: measured.job.index, ...(toEntry(measured) as object) })}\n`;
