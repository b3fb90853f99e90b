/** One audit of a result: its texts, and the first of its entries. */
export type AuditEntries = {
  readonly title: string;
  readonly description: string;
  readonly score: number | null;
  readonly displayValue: string | undefined;
  readonly count: number;
  readonly first: readonly unknown[];
};

const maxEntries = 10;

type Detailed = { lighthouse_result?: { audits?: Record<string, Record<string, unknown>> } };

/** Returns undefined if the result has no such audit. @param body the answer of `/results/{id}` with full data */
export function toAuditEntries(body: unknown, audit: string): AuditEntries | undefined {
  const audits = (body as Detailed | undefined)?.lighthouse_result?.audits ?? {};
  const found = Object.hasOwn(audits, audit) ? audits[audit] : undefined;
  if (!found) return undefined;
  const { items } = (found.details ?? {}) as { items?: unknown };
  const entries = Array.isArray(items) ? items : [];
  return {
    title: String(found.title),
    description: String(found.description ?? ''),
    score: typeof found.score === 'number' ? found.score : null,
    displayValue: typeof found.displayValue === 'string' ? found.displayValue : undefined,
    count: entries.length,
    first: entries.slice(0, maxEntries),
  };
}
