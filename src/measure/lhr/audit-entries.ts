import { isObject } from '../../contract/result/details.ts';

const maxEntries = 10;

/** Bounds of an entry, above those of every answer that shows one. */
const bounds = { depth: 4, members: 20, characters: 2000 } as const;

/** Shortens an entry: a screenshot or a tree in it may be as large as the whole result. */
function shorten(value: unknown, depth: number = bounds.depth): unknown {
  if (typeof value === 'string') return value.slice(0, bounds.characters);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.slice(0, bounds.members).map(item => shorten(item, depth - 1));
  const members = Object.entries(value).slice(0, bounds.members);
  return Object.fromEntries(members.map(([name, inner]) => [name, shorten(inner, depth - 1)]));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, bounds.characters) : '');

/**
 * Returns one audit of a result: its texts, and the first of its entries; undefined if the result has no such audit.
 * @param lhr a Lighthouse result
 */
export function toAuditEntries(lhr: unknown, audit: string) {
  const audits = isObject(lhr) && isObject(lhr.audits) ? lhr.audits : {};
  const found = Object.hasOwn(audits, audit) ? audits[audit] : undefined;
  if (!isObject(found)) return undefined;
  const { items } = (found.details ?? {}) as { items?: unknown };
  const entries = Array.isArray(items) ? items : [];
  return {
    title: textOf(found.title),
    description: textOf(found.description),
    score: typeof found.score === 'number' ? found.score : null,
    displayValue: typeof found.displayValue === 'string' ? textOf(found.displayValue) : undefined,
    count: entries.length,
    first: entries.slice(0, maxEntries).map(entry => shorten(entry)),
  };
}
export type AuditEntries = NonNullable<ReturnType<typeof toAuditEntries>>;
