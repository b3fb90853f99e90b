/** Collects the pages of a command: its arguments, the lines of a file, and the lines of standard input. */
import { readFileSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { hasSpace, sayHasSpace, splitEntries, withScheme } from '../../api-client/read-urls.ts';
import { toPageUrl, type UrlFault, withoutUserinfo } from '../../measure/targets/page-url.ts';
import { toPlainLine } from '../text/terminal/plain-text.ts';
import { UsageError } from './usage-error.ts';

/** Splits text into lines, without blank ones and comments: a `#` at the start or after a space. */
const toLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map(line => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter(line => line !== '');

/** Decodes UTF-8, or UTF-16 with its byte order mark. Other bytes become U+FFFD, which no URL may contain. */
const decode = (bytes: Buffer): string => {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  return new TextDecoder(first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8').decode(bytes);
};

/** Reads a stream to its end; the signal ends the wait. @throws the signal's reason */
async function readAllText(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, stream)) chunks.push(Buffer.from(chunk));
  return decode(Buffer.concat(chunks));
}

function readFile(path: string): string {
  try {
    return decode(readFileSync(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError([
      code === 'ENOENT' ? `--file ${path} does not exist` : `--file ${path} cannot be read: ${code ?? message}`,
    ]);
  }
}

/** Returns the reason as a clause, even for the kinds of faults whose reason is only a word. */
function sayReason({ kind, reason }: UrlFault): string {
  if (kind === 'scheme') return 'only http and https pages are measured';
  return kind === 'too_long' ? `it is longer than ${reason} characters` : toPlainLine(reason);
}

/** Matches a single word. It is more often a mistyped command than the host name of an intranet. */
const word = /^(?!localhost$)[a-z][a-z0-9_-]*$/i;

const isPath = (entry: string): boolean => /^\.{0,2}\/(?!\/)/.test(entry);

function faultOf(entry: string): string | undefined {
  if (word.test(entry))
    return `'${entry.slice(0, 200)}' is neither a command nor the URL of a page: write http://${entry.slice(0, 200)}/ if it is a host name`;
  const page = toPageUrl(withScheme(entry));
  if ('href' in page && !isPath(entry)) return undefined;
  if (hasSpace(entry)) return toPlainLine(sayHasSpace(withoutUserinfo(entry)));
  const said = `'${toPlainLine(withoutUserinfo(entry)).slice(0, 200)}' is not the URL of a page`;
  if (isPath(entry)) return `${said}, but a path: to read URLs from a file, put --file before it`;
  return 'fault' in page ? `${said}: ${sayReason(page.fault)}` : undefined;
}

/**
 * Reads URLs and comma-separated lists of URLs, and adds missing schemes.
 * @throws UsageError that lists every invalid entry
 */
export function toPageUrls(texts: readonly string[]): string[] {
  const entries = texts.flatMap(splitEntries);
  const faults = entries.flatMap(entry => faultOf(entry) ?? []);
  if (faults.length > 0) throw new UsageError(faults);
  return entries.map(entry => toPageUrl(withScheme(entry))).flatMap(page => ('href' in page ? [page.href] : []));
}

/**
 * Returns the pages in order, those of the file last.
 * @throws UsageError, and the signal's reason while standard input is read
 */
export async function gatherPages(
  { pages, file }: { pages: readonly string[]; file: string | undefined },
  { stdin, signal }: { stdin: Readable; signal: AbortSignal },
): Promise<string[]> {
  const sources = [...pages, ...(file === undefined ? [] : [{ file }])];
  let lines: Promise<string[]> | undefined;
  const readInput = () => {
    // Standard input is read once, even if it is named several times.
    lines ??= readAllText(stdin, signal).then(toLines);
    return lines;
  };
  const texts: string[] = [];
  for (const source of sources) {
    if (source === '-' || (typeof source === 'object' && source.file === '-')) texts.push(...(await readInput()));
    else texts.push(...(typeof source === 'string' ? [source] : toLines(readFile(source.file))));
  }
  const urls = toPageUrls(texts);
  if (urls.length === 0) throw new UsageError(['the input contains no URLs']);
  return urls;
}
