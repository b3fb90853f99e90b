/**
 * Caches message formatters. Lighthouse creates a formatter for every sentence it formats, and parses the sentence and
 * its locale each time: ten thousand times when it reads its configuration, which takes a fifth of a second in each
 * audit. Formatters are immutable, so one per sentence is enough. This uses an internal module; kept-formats.test.ts
 * detects when it moves.
 */
import { createRequire } from 'node:module';

/** Max number of cached formatters: a locale has a few hundred sentences. */
const mostKept = 5_000;

type Formatter = object;
type NewFormatter = new (message: string, locale: string, formats: object, options: object) => Formatter;

/** Returns a constructor that reuses formatters for the same sentence, locale and formats. */
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

/** Finds the module from which Lighthouse imports formatters, wherever it is installed. */
const findModule = (): { IntlMessageFormat: NewFormatter } =>
  createRequire(import.meta.resolve('lighthouse'))('intl-messageformat/src/core.js');

/** Enables the cache. It has no effect if Lighthouse imports formatters from another module. */
export function keepFormats(): void {
  try {
    const found = findModule();
    found.IntlMessageFormat = keep(found.IntlMessageFormat) as unknown as NewFormatter;
  } catch {
    // Without the cache, audits are slower but correct.
  }
}
