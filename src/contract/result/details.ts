/** Reads the details of audits, which may come from another Lighthouse version: any field may be missing. */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value : []).filter(isObject);

/** Returns the rows of a table; undefined for anything else. */
export const tableOf = (details: unknown): Json[] | undefined =>
  isObject(details) && Array.isArray(details.items) ? listOf(details.items) : undefined;
export const itemsOf = (details: unknown): Json[] => tableOf(details) ?? [];

type WithAudits = { readonly audits?: Readonly<Record<string, { readonly details?: unknown } | undefined>> };

export const detailsOf = ({ audits }: WithAudits, id: string): unknown => audits?.[id]?.details;
export const rowsOf = (whole: WithAudits, id: string): Json[] => itemsOf(detailsOf(whole, id));
