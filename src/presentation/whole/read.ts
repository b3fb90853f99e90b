/**
 * Reading a whole Lighthouse result: it comes from another machine, perhaps of another version, and may lack anything.
 */
export type Json = Readonly<Record<string, unknown>>;

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

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : []).filter(isObject);
export const itemsOf = (details: unknown): Json[] => (isObject(details) ? listOf(details.items) : []);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

export const detailsOf = ({ audits }: Whole, id: string): unknown => audits?.[id]?.details;
/** The rows of an audit's table. */
export const rowsOf = (whole: Whole, id: string): Json[] => itemsOf(detailsOf(whole, id));

/** A picture only, and only one that carries its bytes with it: nothing is fetched for it. */
export const isPicture = (data: unknown): data is string =>
  typeof data === 'string' && /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z\d+/]+=*$/.test(data);
