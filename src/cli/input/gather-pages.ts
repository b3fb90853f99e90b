/** The pages of a command: its arguments, the lines of a file, the lines of the standard input. */
import { readFileSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { toPageUrl, type UrlFault } from '../targets/page-url.ts';
import { withScheme } from '../web/read-urls.ts';
import { toPlainLine } from './plain-text.ts';
import { UsageError } from './usage-error.ts';

/** Blank lines and what follows a `#` at a line's beginning are for people. */
const toLines = (text: string): string[] =>
  text
    .split(/\r\n|\r|\n/)
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'));

/** Nobody may ever close the other end: the signal does. @throws the abort */
async function readAllText(stream: Readable, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, stream)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageError([`--file cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

/** Of two kinds the reason is a bare word. */
function sayFault({ kind, reason }: UrlFault): string {
  if (kind === 'scheme') return 'only http and https pages are measured';
  return kind === 'too_long' ? `it is longer than ${reason} characters` : toPlainLine(reason);
}

/** Schemes added where they are missing. @throws UsageError that names every address that is none */
export function toPageUrls(texts: readonly string[]): string[] {
  const pages = texts.map(text => ({ text, page: toPageUrl(withScheme(text)) }));
  const faults = pages.flatMap(({ text, page }) =>
    'fault' in page
      ? [`'${toPlainLine(text).slice(0, 200)}' is not the address of a page: ${sayFault(page.fault)}`]
      : [],
  );
  if (faults.length > 0) throw new UsageError(faults);
  return pages.flatMap(({ page }) => ('href' in page ? [page.href] : []));
}

/** In the order given, the file's last. @throws UsageError, and the abort of a standard input that is still read */
export async function gatherPages(
  { pages, file }: { pages: readonly string[]; file: string | undefined },
  { stdin, signal }: { stdin: Readable; signal: AbortSignal },
): Promise<string[]> {
  const sources = [...pages, ...(file === undefined ? [] : [{ file }])];
  let lines: Promise<string[]> | undefined;
  const readInput = () => {
    // Read once, however often it is named.
    lines ??= readAllText(stdin, signal).then(toLines);
    return lines;
  };
  const texts: string[] = [];
  for (const source of sources) {
    if (source === '-' || (typeof source === 'object' && source.file === '-')) texts.push(...(await readInput()));
    else texts.push(...(typeof source === 'string' ? [source] : toLines(readFile(source.file))));
  }
  if (texts.length === 0) throw new UsageError(['no page is named: what was read holds no address']);
  return toPageUrls(texts);
}
