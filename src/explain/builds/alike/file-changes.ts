/** What changed in the files of a page, the change with the largest effect first. */

import type { FileFacts, LoadFacts } from '../../../contract/result/load-facts.ts';
import { medianOf, toSorted } from '../../change/values.ts';
import { isApart, type Sides } from './shared-conditions.ts';

export type FileChange = {
  /** `packed`: the same content, compressed otherwise; `work`: the same file, with another CPU time. */
  readonly kind: 'added' | 'removed' | 'size' | 'packed' | 'work';
  /** URL without query. */
  readonly url: string;
  readonly type: string;
  /** Medians; zero if the side does not have the file. */
  readonly bytes: Sides<number>;
  readonly cpuMs: Sides<number>;
  readonly requests: Sides<number>;
};

type Facts = readonly LoadFacts[];

/** Smaller differences are headers, cookies and dates. */
const leastBytes = 1024;
const leastCpuMs = 15;
const leastCpuShare = 0.25;

const none: Pick<FileFacts, 'bytes' | 'resourceBytes' | 'cpuMs' | 'requests'> = {
  bytes: 0,
  resourceBytes: 0,
  cpuMs: 0,
  requests: 0,
};

/** One number of a file in each load; zero if the load does not have it. */
const valuesOf = (facts: Facts, url: string, name: keyof typeof none): number[] =>
  facts.map(({ files }) => (files[url] ?? none)[name]);

/** Whether every load of one side lies beyond every load of the other: the bytes of a file do not vary by chance. */
function isBeyond(before: readonly number[], after: readonly number[], least: number): boolean {
  const gap = Math.max(Math.min(...after) - Math.max(...before), Math.min(...before) - Math.max(...after));
  return gap >= least;
}

const middle = (values: readonly number[]): number => medianOf(toSorted(values));

function toKind({ before, after }: Sides<Facts>, url: string): FileChange['kind'] | undefined {
  const both = (name: keyof typeof none) => [valuesOf(before, url, name), valuesOf(after, url, name)] as const;
  const [requestsBefore, requestsAfter] = both('requests');
  if (requestsBefore.every(count => count === 0) && requestsAfter.every(count => count > 0)) return 'added';
  if (requestsAfter.every(count => count === 0) && requestsBefore.every(count => count > 0)) return 'removed';
  const [bytesBefore, bytesAfter] = both('bytes');
  const [resourceBefore, resourceAfter] = both('resourceBytes');
  if (isBeyond(bytesBefore, bytesAfter, leastBytes))
    return isBeyond(resourceBefore, resourceAfter, leastBytes) ? 'size' : 'packed';
  const [cpuBefore, cpuAfter] = both('cpuMs');
  const least = Math.max(leastCpuMs, leastCpuShare * Math.min(middle(cpuBefore), middle(cpuAfter)));
  return isApart(cpuBefore, cpuAfter, least) ? 'work' : undefined;
}

/** Bytes of a millisecond of slow 4G, and how much slower a phone's processor is. */
const [bytesPerMs, slowdown] = [200, 4];

/** Milliseconds that a change is about worth. */
const toWeight = ({ bytes, cpuMs }: FileChange): number =>
  Math.abs(bytes.after - bytes.before) / bytesPerMs + slowdown * Math.abs(cpuMs.after - cpuMs.before);

/** A smaller change of the files has no direction. */
const leastExpectedMs = 50;

/**
 * Which way the page changes if these files are all that changed; undefined when they say little. CPU time of files
 * that both sides have is skipped: it varies, and these changes count as certain.
 */
export function toExpected(changes: readonly FileChange[]): 'better' | 'worse' | undefined {
  const toMs = ({ kind, bytes, cpuMs }: FileChange): number => {
    const isWhole = kind === 'added' || kind === 'removed';
    return (bytes.after - bytes.before) / bytesPerMs + (isWhole ? slowdown * (cpuMs.after - cpuMs.before) : 0);
  };
  const ms = changes.filter(({ kind }) => kind !== 'work').reduce((sum, change) => sum + toMs(change), 0);
  if (Math.abs(ms) < leastExpectedMs) return undefined;
  return ms > 0 ? 'worse' : 'better';
}

/**
 * @param facts of each load, at least one of each side
 * @param cpuFactor CPU times of a side are multiplied by it, to compare processors of different speed
 */
export function toFileChanges(facts: Sides<Facts>, cpuFactor: Sides<number> = { before: 1, after: 1 }): FileChange[] {
  const urls = new Set([...facts.before, ...facts.after].flatMap(({ files }) => Object.keys(files)));
  const find = (url: string) =>
    facts.before[0]?.files[url] ?? [...facts.before, ...facts.after].find(({ files }) => files[url])?.files[url];
  const faster: Sides<Facts> = {
    before: scale(facts.before, cpuFactor.before),
    after: scale(facts.after, cpuFactor.after),
  };
  return [...urls]
    .flatMap((url): FileChange[] => {
      const kind = toKind(faster, url);
      if (!kind) return [];
      const of = (name: keyof typeof none): Sides<number> => ({
        before: middle(valuesOf(faster.before, url, name)),
        after: middle(valuesOf(faster.after, url, name)),
      });
      const type = find(url)?.type ?? 'Other';
      return [{ kind, url, type, bytes: of('bytes'), cpuMs: of('cpuMs'), requests: of('requests') }];
    })
    .sort((a, b) => toWeight(b) - toWeight(a));
}

const scale = (facts: Facts, factor: number): Facts =>
  factor === 1
    ? facts
    : facts.map(load => ({
        ...load,
        files: Object.fromEntries(
          Object.entries(load.files).map(([url, file]) => [url, { ...file, cpuMs: factor * file.cpuMs }]),
        ),
      }));
