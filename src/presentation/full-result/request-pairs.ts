/** Pairs the requests of two loads of one page. */
import { withoutQuery } from '../../contract/without-query.ts';
import type { RequestRow, RequestType } from './requests.ts';

export type RequestPair = {
  readonly url: string;
  readonly name: string;
  readonly host: string;
  readonly entity: string | undefined;
  readonly type: RequestType;
  /** Request of each side; undefined if the side did not make it. */
  readonly psi: RequestRow | undefined;
  readonly lighthouse: RequestRow | undefined;
};

type Taken = { readonly row: RequestRow; counterpart: RequestRow | undefined };

/** Pairs each row with the first free one of the other side that has the same key. */
function pairBy(taken: readonly Taken[], free: Set<RequestRow>, toKey: (url: string) => string): void {
  const byKey = new Map<string, RequestRow[]>();
  for (const row of free) {
    const key = toKey(row.url);
    byKey.set(key, [...(byKey.get(key) ?? []), row]);
  }
  for (const entry of taken) {
    if (entry.counterpart) continue;
    const found = byKey.get(toKey(entry.row.url))?.shift();
    if (!found) continue;
    entry.counterpart = found;
    free.delete(found);
  }
}

const toPair = (shown: RequestRow, psi: RequestRow | undefined, lighthouse: RequestRow | undefined): RequestPair => ({
  url: shown.url,
  name: shown.name,
  host: shown.host,
  entity: shown.entity,
  type: shown.type,
  psi,
  lighthouse,
});

/** Pairs requests by URL, then by URL without query, in the order in which either side started them. */
export function toRequestPairs(psi: readonly RequestRow[], lighthouse: readonly RequestRow[]): RequestPair[] {
  const taken: Taken[] = psi.map(row => ({ row, counterpart: undefined }));
  const free = new Set(lighthouse);
  pairBy(taken, free, url => url);
  pairBy(taken, free, withoutQuery);
  const pairs = [
    ...taken.map(({ row, counterpart }) => ({ at: row.number, pair: toPair(row, row, counterpart) })),
    ...[...free].map(row => ({ at: row.number, pair: toPair(row, undefined, row) })),
  ];
  return pairs.toSorted((a, b) => a.at - b.at).map(({ pair }) => pair);
}

export const isApart = ({ psi, lighthouse }: RequestPair): boolean => !psi || !lighthouse;
