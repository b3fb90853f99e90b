import pino, { type Logger } from 'pino';

/** Keys shorter than this could be a word of the log itself. The keys of clients are longer: see settings/readers.ts. */
const minSecretCharacters = 8;

/**
 * Cuts queries and fragments off every address in a line, wherever it came from: they carry tokens. An address ends at
 * a space, a quote, or a backslash, which stands before a quote in JSON.
 */
const withoutQueries = (line: string): string =>
  // Most lines have none, and looking for the two is a tenth of the work.
  line.includes('?') || line.includes('#') ? line.replaceAll(/(\/[^\s"\\?#]*)[?#][^\s"\\]*/g, '$1') : line;

/** What is kept for a reader of the log that does not read. Beyond it lines are dropped, and the service goes on. */
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
    hidden.reduce((rest, secret) => rest.replaceAll(secret, '…'), withoutQueries(line));
  return pino({ level, hooks: { streamWrite } }, destination ?? toStandardOutput());
}
