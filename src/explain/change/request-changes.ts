/** Finds requests that were added or removed between two Lighthouse results, and their sizes. */

import { detailsOf, rowsOf, tableOf } from '../../contract/result/details.ts';
import type { RequestChanges, RequestGroup } from '../../contract/stored/changed-loads.ts';
import { withoutQuery } from '../../contract/without-query.ts';
import type { Lhr } from '../../measure/lhr/lhr.ts';
import { type FileChange, toWeight } from './shared-conditions/file-changes.ts';
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
function toKind(bytes: Sides<number>, cpuMs: Sides<number>): FileChange['kind'] | undefined {
  if (Math.abs(bytes.after - bytes.before) >= smallestBytes) return 'size';
  const least = Math.max(leastCpu.ms, leastCpu.share * Math.min(cpuMs.before, cpuMs.after));
  return Math.abs(cpuMs.after - cpuMs.before) >= least ? 'work' : undefined;
}

const noRequest = { requests: 0, bytes: 0, type: null };

/** Returns the changed files of two loads that cannot be simulated again, the one with the largest effect first. */
export function toListedChanges(before: Lhr, after: Lhr): FileChange[] {
  const groups = { before: toGroups(before), after: toGroups(after) };
  const work = { before: toWork(before), after: toWork(after) };
  if (!groups.before || !groups.after) return [];
  const urls = new Set([...groups.before.keys(), ...groups.after.keys()]);
  return [...urls]
    .flatMap((url): FileChange[] => {
      const [was = noRequest, is = noRequest] = [groups.before?.get(url), groups.after?.get(url)];
      const bytes = { before: was.bytes, after: is.bytes };
      const cpuMs = { before: work.before.get(url) ?? 0, after: work.after.get(url) ?? 0 };
      const requests = { before: was.requests, after: is.requests };
      const isOneSided = was === noRequest || is === noRequest;
      const kind = isOneSided ? (was === noRequest ? 'added' : 'removed') : toKind(bytes, cpuMs);
      const type = is.type ?? was.type ?? 'Other';
      return kind ? [{ kind, url, type, bytes, resourceBytes: bytes, cpuMs, requests }] : [];
    })
    .toSorted((a, b) => toWeight(b) - toWeight(a));
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
