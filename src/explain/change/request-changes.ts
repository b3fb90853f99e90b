/** Finds requests that were added or removed between two Lighthouse results, and their sizes. */

import { detailsOf, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { RequestChanges, RequestGroup } from '../../contract/stored/changed-loads.ts';
import { withoutQuery } from '../../contract/without-query.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { mostListed as mostPaired } from '../../measure/lhr/values.ts';
import { pairFiles } from '../../presentation/file-pairs.ts';
import { type FoundFileChange, toWeight } from './shared-conditions/file-changes.ts';
import { createNames } from './shared-conditions/page-relative.ts';
import type { Sides } from './shared-conditions/sides.ts';

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

/** Returns the CPU time of each script in milliseconds, without CPU throttling. */
function toWork(lhr: Lhr): Map<string, number> {
  const { throttlingMethod, throttling } = lhr.configSettings ?? {};
  const slowdown = throttlingMethod === 'simulate' ? (throttling?.cpuSlowdownMultiplier ?? 1) : 1;
  const work = new Map<string, number>();
  for (const { url, scripting } of rowsOf(lhr, 'bootup-time'))
    if (typeof url === 'string' && typeof scripting === 'number')
      work.set(toShortUrl(url), (work.get(toShortUrl(url)) ?? 0) + scripting / slowdown);
  return work;
}

/** Min difference of a script's CPU time in milliseconds, and its share: less may be noise. */
const leastCpu = { ms: 50, share: 0.5 };

/** Returns how a file that both sides have changed; undefined if it did not. */
function toKind(bytes: Sides<number>, cpuMs: Sides<number>): FoundFileChange['kind'] | undefined {
  if (Math.abs(bytes.after - bytes.before) >= smallestBytes) return 'size';
  const least = Math.max(leastCpu.ms, leastCpu.share * Math.min(cpuMs.before, cpuMs.after));
  return Math.abs(cpuMs.after - cpuMs.before) >= least ? 'work' : undefined;
}

type Groups = ReadonlyMap<string, RequestGroup>;
type ToName = (url: string) => string;
type GroupPair = Sides<RequestGroup | undefined>;

/** Gives files before the change their URLs after it: those of the page's own host have the same path on both hosts. */
function createRename(before: Lhr, after: Lhr): ToName {
  const [from, to] = [before, after].map(lhr => lhr.mainDocumentUrl ?? lhr.finalUrl ?? '') as [string, string];
  if (!URL.canParse(from) || !URL.canParse(to)) return String;
  const [{ file }, { fileBack }] = [createNames(from), createNames(to)];
  return url => fileBack(file(url));
}

function toPairs(before: Groups, after: Groups, rename: ToName): GroupPair[] {
  const name = (groups: Groups, toName: ToName) =>
    [...groups.values()].slice(0, mostPaired).map(group => ({ group, url: toName(group.url) }));
  return pairFiles(name(before, rename), name(after, String), ({ url, group: { type, bytes } }) => ({
    url,
    type: type ?? '',
    bytes,
  })).map(({ one, other }) => ({ before: one?.group, after: other?.group }));
}

const none = { requests: 0, bytes: 0, type: null, url: '' };

/** Returns the changed files of two loads that cannot be simulated again, the one with the largest effect first. */
export function toListedChanges(before: Lhr, after: Lhr): FoundFileChange[] {
  const groups = { before: toGroups(before), after: toGroups(after) };
  const work = { before: toWork(before), after: toWork(after) };
  if (!groups.before || !groups.after) return [];
  return toPairs(groups.before, groups.after, createRename(before, after))
    .flatMap((pair): FoundFileChange[] => {
      const { before: was = none, after: is = none } = pair;
      const bytes = { before: was.bytes, after: is.bytes };
      const cpuMs = { before: work.before.get(was.url) ?? 0, after: work.after.get(is.url) ?? 0 };
      const requests = { before: was.requests, after: is.requests };
      const kind = pair.before && pair.after ? toKind(bytes, cpuMs) : pair.after ? 'added' : 'removed';
      const type = is.type ?? was.type ?? 'Other';
      return kind ? [{ kind, url: is.url || was.url, type, bytes, resourceBytes: bytes, cpuMs, requests }] : [];
    })
    .toSorted((a, b) => toWeight(b) - toWeight(a));
}

const toLargest = (groups: readonly RequestGroup[]): RequestGroup[] =>
  groups.toSorted((a, b) => b.bytes - a.bytes || b.requests - a.requests).slice(0, mostListed);

const gapOf = ({ before, after }: RequestChanges['changed'][number]): number => Math.abs(after.bytes - before.bytes);

/**
 * Returns null if a side does not list its requests.
 * @param isOnePage whether both are loads of one page, perhaps at two hosts
 */
export function toRequestChanges(before: Lhr, after: Lhr, isOnePage = true): RequestChanges | null {
  const [one, other] = [toGroups(before), toGroups(after)];
  if (!one || !other) return null;
  const pairs = toPairs(one, other, isOnePage ? createRename(before, after) : String);
  const changed = pairs.flatMap(({ before: was, after: is }) =>
    was && is ? [{ url: is.url, type: is.type, before: toTotals([was]), after: toTotals([is]) }] : [],
  );
  return {
    before: toTotals(one.values()),
    after: toTotals(other.values()),
    added: toLargest(pairs.flatMap(({ before: was, after: is }) => (was ? [] : (is ?? [])))),
    removed: toLargest(pairs.flatMap(({ before: was, after: is }) => (is ? [] : (was ?? [])))),
    changed: changed
      .filter(change => gapOf(change) >= smallestBytes)
      .sort((a, b) => gapOf(b) - gapOf(a))
      .slice(0, mostListed),
  };
}
