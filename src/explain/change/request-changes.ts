/** Finds requests that were added or removed between two Lighthouse results, and their sizes. */

import { detailsOf, tableOf } from '../../contract/result/details.ts';
import type { RequestChanges, RequestGroup } from '../../contract/stored/changed-loads.ts';
import { withoutQuery } from '../../contract/without-query.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';

const mostListed = 20;
const maxUrl = 500;
/** Min difference of one URL: smaller ones may come from headers and compression. */
const smallestBytes = 1024;

const toCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;

const toShortUrl = (url: string): string => withoutQuery(url).slice(0, maxUrl).toWellFormed();

function toGroups(lhr: Lhr): Map<string, RequestGroup> | undefined {
  const items = tableOf(detailsOf(lhr, 'network-requests'));
  if (!items) return undefined;
  const groups = new Map<string, RequestGroup>();
  for (const { url: given, resourceType, transferSize } of items) {
    // Data URLs use no network.
    if (typeof given !== 'string' || !/^https?:/.test(given)) continue;
    const url = toShortUrl(given);
    const type = typeof resourceType === 'string' ? resourceType.slice(0, 40) : null;
    const group = groups.get(url) ?? { url, type, requests: 0, bytes: 0 };
    groups.set(url, {
      ...group,
      requests: group.requests + 1,
      bytes: group.bytes + toCount(transferSize),
    });
  }
  return groups;
}

const toTotals = (groups: Iterable<RequestGroup>) => {
  const totals = { requests: 0, bytes: 0 };
  for (const { requests, bytes } of groups) {
    totals.requests += requests;
    totals.bytes += bytes;
  }
  return totals;
};

const only = (groups: Map<string, RequestGroup>, others: Map<string, RequestGroup>): RequestGroup[] =>
  [...groups.values()]
    .filter(({ url }) => !others.has(url))
    .sort((a, b) => b.bytes - a.bytes || b.requests - a.requests)
    .slice(0, mostListed);

function toChanged(before: Map<string, RequestGroup>, after: Map<string, RequestGroup>): RequestChanges['changed'] {
  const both = [...before.values()].flatMap(was => {
    const is = after.get(was.url);
    return is && Math.abs(is.bytes - was.bytes) >= smallestBytes ? [{ was, is }] : [];
  });
  return both
    .sort((a, b) => Math.abs(b.is.bytes - b.was.bytes) - Math.abs(a.is.bytes - a.was.bytes))
    .slice(0, mostListed)
    .map(({ was, is }) => ({ url: is.url, type: is.type, before: toTotals([was]), after: toTotals([is]) }));
}

/** Returns null if a side does not list its requests. */
export function toRequestChanges(before: Lhr, after: Lhr): RequestChanges | null {
  const [one, other] = [toGroups(before), toGroups(after)];
  if (!one || !other) return null;
  return {
    before: toTotals(one.values()),
    after: toTotals(other.values()),
    added: only(other, one),
    removed: only(one, other),
    changed: toChanged(one, other),
  };
}
