/**
 * Lighthouse makes a formatter for every sentence that it formats, and reads the sentence and asks for the locale again
 * each time: ten thousand times to read its configuration alone, a fifth of a second of each audit. A formatter does
 * not change, so here one is kept for each sentence. An inner module: kept-formats.test.ts notices when it moves.
 */
import { createRequire } from 'node:module';

/** Sentences of one locale are some hundreds. */
const mostKept = 5_000;

type Formatter = object;
type NewFormatter = new (message: string, locale: string, formats: object, options: object) => Formatter;

/** One that was made before, of the same sentence for the same locale, in the same formats. */
const keep = (Formatter: NewFormatter) => {
  const kept = new Map<string, { formatter: Formatter; formats: object }>();
  return function toFormatter(...[message, locale, formats, options]: ConstructorParameters<NewFormatter>): Formatter {
    const key = `${locale} ${JSON.stringify(options)} ${message}`;
    const found = kept.get(key);
    if (found?.formats === formats) return found.formatter;
    if (kept.size >= mostKept) kept.clear();
    const formatter = new Formatter(message, locale, formats, options);
    kept.set(key, { formatter, formats });
    return formatter;
  };
};

/** The module that Lighthouse has its formatters from, wherever it is installed. */
const findModule = (): { IntlMessageFormat: NewFormatter } =>
  createRequire(import.meta.resolve('lighthouse'))('intl-messageformat/src/core.js');

/** From here on. Where Lighthouse has its formatters from elsewhere they are made as ever. */
export function keepFormats(): void {
  try {
    const found = findModule();
    found.IntlMessageFormat = keep(found.IntlMessageFormat) as unknown as NewFormatter;
  } catch {
    // Slower, and right.
  }
}
