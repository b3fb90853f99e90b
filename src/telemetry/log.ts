import pino, { type Logger } from 'pino';

/**
 * Keys shorter than this could be a word of the log itself. The keys of clients are longer: see settings/readers.ts.
 */
const minSecretCharacters = 8;

/**
 * Cuts queries and fragments off every address in a line, wherever it came from: they carry tokens. An address ends at
 * a space, a quote, or a backslash, which stands before a quote in JSON.
 */
const withoutQueries = (line: string): string =>
  // Most lines have none, and looking for the two is a tenth of the work.
  line.includes('?') || line.includes('#') ? line.replaceAll(/(\/[^\s"\\?#]*)[?#][^\s"\\]*/g, '$1') : line;

/** Takes user names and passwords out of every URL in a line. */
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

/** A line stays short, whatever a client, a page or another machine put into one of its fields. */
function withoutLongTexts(line: string): string {
  if (line.length <= longestText) return line;
  const facts = parse(line);
  if (!facts) return `${line.slice(0, longestText)}…\n`;
  const short = JSON.stringify(facts, bounded);
  if (short.length <= longestLine) return `${short}\n`;
  const { level, time, msg } = facts;
  return `${JSON.stringify({ level, time, msg: cut(String(msg), longestText), cut: true })}\n`;
}

/** Buffer for a log reader that does not read. Beyond it lines are dropped, and the service continues. */
const maxWaitingCharacters = 8 * 1024 * 1024;

/**
 * Lines that come while others are written go out together, and no request waits for them. What is left when the
 * process ends is written then.
 */
const toStandardOutput = () => pino.destination({ dest: 1, sync: false, maxLength: maxWaitingCharacters });

/**
 * The log of the process: JSON lines. What must not be in it is taken out where a line is written, not where it is
 * made: the cause of an error is text from elsewhere.
 */
export function createLog(
  level: string,
  secrets: readonly string[],
  destination?: { write(line: string): void },
): Logger {
  const hidden = secrets.filter(secret => secret.length >= minSecretCharacters);
  const streamWrite = (line: string) =>
    // The secrets first: a cut may leave half of one.
    withoutLongTexts(
      hidden.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutUserinfo(withoutQueries(line))),
    );
  return pino({ level, hooks: { streamWrite } }, destination ?? toStandardOutput());
}
