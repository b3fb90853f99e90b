/** Makes text of a page safe for a terminal, in which control characters move the cursor or insert input. */
import { stripVTControlCharacters } from 'node:util';

/** C0, DEL and C1 controls, which a terminal may execute. */
const controls = /[\p{Cc}]/gu;
/** Marks that change the direction of the text: a line could display different words. */
const turns = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const toPlainLine = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\t\n\r\u0085\u2028\u2029]+/g, ' ')
    .replaceAll(controls, '')
    .replaceAll(turns, '');

/** Field of the whole Lighthouse result, which is never displayed and is by far the largest part. */
const unshown = 'lighthouse_result';

/** Makes every text and name in a response plain, without the Lighthouse result. */
export function toPlainBody(value: unknown): unknown {
  if (typeof value === 'string') return toPlainLine(value);
  if (Array.isArray(value)) return value.map(toPlainBody);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== unshown)
      .map(([name, inner]) => [toPlainLine(name), toPlainBody(inner)]),
  );
}

/** Returns the same value as JSON without control characters: JSON escapes only C0 itself. */
export const toPlainJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
