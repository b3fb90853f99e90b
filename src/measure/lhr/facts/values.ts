/**
 * Readers of values in a Lighthouse result from another machine: absent or malformed values become null, and text is
 * shortened.
 */

export const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const maxText = 80;
/** Returns untrusted text as one line without control characters. */
export const toText = (value: unknown, most = maxText): string =>
  typeof value === 'string'
    ? value
        .slice(0, 4 * most)
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, most)
        .toWellFormed()
    : '';

/** Max number of listed files and errors, because the page determines them. */
export const mostListed = 1000;
