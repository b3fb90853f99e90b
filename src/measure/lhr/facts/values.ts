/** Values out of a Lighthouse result of another machine: what is absent or of another shape is null, text is short. */

export const toNumber = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;

const maxText = 80;
/** The page wrote it: one line of it, without what a terminal would obey. */
export const toText = (value: unknown, most = maxText): string =>
  typeof value === 'string'
    ? value
        .slice(0, 4 * most)
        .replace(/[\p{C}\s]+/gu, ' ')
        .trim()
        .slice(0, most)
        .toWellFormed()
    : '';

/** The page chooses how many files it asks for, and how many errors it writes. */
export const mostListed = 1000;
