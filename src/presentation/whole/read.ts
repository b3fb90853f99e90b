/** A whole Lighthouse result: it comes from another machine, perhaps of another version, and may lack anything. */

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

/** Works a value out once for each whole result: the views ask for it again with every letter of a search. */
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

/** A picture only, and only one that carries its bytes with it: nothing is fetched for it. */
export const isPicture = (data: unknown): data is string =>
  typeof data === 'string' && /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z\d+/]+=*$/.test(data);
