/**
 * Reading the details of audits: tables and facts in a form of each audit's own. They come from another machine, perhaps of
 * another version of Lighthouse, and may lack anything.
 */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : []).filter(isObject);

/** The rows of a table; undefined for what is none. */
export const tableOf = (details: unknown): Json[] | undefined =>
  isObject(details) && Array.isArray(details.items) ? listOf(details.items) : undefined;
export const itemsOf = (details: unknown): Json[] => tableOf(details) ?? [];

type WithAudits = { readonly audits?: Readonly<Record<string, { readonly details?: unknown } | undefined>> };

export const detailsOf = ({ audits }: WithAudits, id: string): unknown => audits?.[id]?.details;
/** The rows of an audit's table. */
export const rowsOf = (whole: WithAudits, id: string): Json[] => itemsOf(detailsOf(whole, id));
