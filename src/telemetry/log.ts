import pino, { type Logger } from 'pino';

/**
 * Min length of secrets to hide, because a shorter one could be a word in the log. Keys of clients are longer: see
 * settings/readers.ts.
 */
const minSecretCharacters = 8;

/**
 * Removes queries and fragments from every URL in a line, because they may contain tokens. A URL ends at a space, a
 * quote, or a backslash, which precedes a quote in JSON.
 */
const withoutQueries = (line: string): string =>
  // Most lines contain neither character, and this check takes a tenth of the time.
  line.includes('?') || line.includes('#') ? line.replaceAll(/(\/[^\s"\\?#]*)[?#][^\s"\\]*/g, '$1') : line;

/** Removes user names and passwords from every URL in a line. */
const withoutUserinfo = (line: string): string =>
  line.includes('@') ? line.replaceAll(/(:\/\/)[^\s"\\/?#]*@/g, '$1') : line;
const longestText = 2048;
const longestList = 100;
const longestLine = 32 * 1024;

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);

const bounded = (_name: string, value: unknown): unknown => {
  if (typeof value === 'string') return cut(value, longestText);
  return Array.isArray(value) && value.length > longestList ? value.slice(0, longestList) : value;
};

const parse = (line: string): Record<string, unknown> | undefined => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};

/** Shortens long fields, which may come from a client, a page or another machine. */
function withoutLongTexts(line: string): string {
  if (line.length <= longestText) return line;
  const facts = parse(line);
  if (!facts) return `${line.slice(0, longestText)}…\n`;
  const short = JSON.stringify(facts, bounded);
  if (short.length <= longestLine) return `${short}\n`;
  const { level, time, msg } = facts;
  return `${JSON.stringify({ level, time, msg: cut(String(msg), longestText), cut: true })}\n`;
}

/** Max size of lines that wait for a slow log reader. More lines are dropped, and the service continues. */
const maxWaitingCharacters = 8 * 1024 * 1024;

/**
 * Queues lines that arrive during a write, and writes them together, so that no request waits. The rest is written when
 * the process ends.
 */
const toStandardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: maxWaitingCharacters });

type Entry = { readonly level: number; readonly msg?: string; readonly err?: { message?: string; stack?: string } };

/** Minimum levels of warnings and errors, as numbers of pino. */
const [warningLevel, errorLevel] = [40, 50];

/**
 * Returns a line of the log as a sentence for a person at a terminal; empty below a warning. Errors keep their stack.
 * Control characters are removed, because a cause may contain text of a page.
 */
export function toSentence(line: string): string {
  const { level, msg = '', err } = JSON.parse(line) as Entry;
  if (level < warningLevel) return '';
  const [word, cause] = level < errorLevel ? ['Warning', err?.message] : ['Error', err?.stack];
  return `${`${word}: ${msg}${cause ? `: ${cause}` : ''}`.replaceAll(/[^\P{Cc}\n]/gu, ' ')}\n`;
}

/**
 * Creates the log of the process, with JSON lines. Secrets are removed when a line is written, because the cause of an
 * error may contain text from elsewhere.
 */
export function createLog(
  level: string,
  secrets: readonly string[],
  destination?: { write(line: string): void },
): Logger {
  const hidden = secrets.filter(secret => secret.length >= minSecretCharacters);
  const streamWrite = (line: string) =>
    // Secrets are removed first, because shortening could leave a part of one.
    withoutLongTexts(
      hidden.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutUserinfo(withoutQueries(line))),
    );
  return pino({ level, hooks: { streamWrite } }, destination ?? toStandardOutput());
}
