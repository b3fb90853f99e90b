/** Reads a whole Lighthouse result, which may come from another machine or version, so any part may be missing. */

export type WholeAudit = {
  readonly title?: unknown;
  readonly description?: unknown;
  readonly score?: unknown;
  readonly scoreDisplayMode?: unknown;
  readonly displayValue?: unknown;
  readonly details?: unknown;
};

export type Whole = {
  readonly audits?: Readonly<Record<string, WholeAudit | undefined>>;
  readonly categories?: unknown;
  readonly entities?: unknown;
  readonly fullPageScreenshot?: unknown;
};

/** Caches a value for each whole result, because views request it again for every keystroke of a search. */
export function oncePerWhole<T>(work: (whole: Whole) => T): (whole: Whole) => T {
  const known = new WeakMap<Whole, T>();
  return whole => {
    const value = known.get(whole) ?? work(whole);
    known.set(whole, value);
    return value;
  };
}

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns whether a value is an image as a data URL, which needs no request. */
export const isPicture = (data: unknown): data is string =>
  typeof data === 'string' && /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z\d+/]+=*$/.test(data);
