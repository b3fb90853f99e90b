import pino, { type Logger } from 'pino';

export type LogLine = Readonly<Record<string, unknown>>;

/** A log that captures its lines, parsed and as text. */
export function captureLog(level: 'info' | 'trace' = 'info'): { log: Logger; lines: LogLine[]; text(): string } {
  const written: string[] = [];
  const lines: LogLine[] = [];
  const write = (line: string) => {
    written.push(line);
    lines.push(JSON.parse(line));
  };
  return { log: pino({ level }, { write }), lines, text: () => written.join('') };
}
