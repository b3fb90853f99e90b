/** Finds changes in the files of a page, the one with the largest effect first. */

import type { FileFacts } from '../../../contract/result/load-facts.ts';
import { medianOf, toSorted } from '../../../presentation/values.ts';
import { type Facts, isApart, mayDiffer, type Sides } from './sides.ts';

/** Share of a difference that a changed file explains, after minus before: points of the score, milliseconds. */
export type FileEffect = {
  readonly points: number;
  readonly largestPaintMs: number;
  readonly blockingMs: number;
};

export type FoundFileChange = {
  /** `packed`: other compression; `requests`: requested more often, as by a redirect; `work`: other CPU time. */
  readonly kind: 'added' | 'removed' | 'size' | 'packed' | 'requests' | 'work';
  readonly url: string;
  readonly type: string;
  /** Medians over the network; zero if the side lacks the file. */
  readonly bytes: Sides<number>;
  /** Medians after decompression. */
  readonly resourceBytes: Sides<number>;
  readonly cpuMs: Sides<number>;
  readonly requests: Sides<number>;
  /** Undefined if it was not simulated. */
  readonly effect?: FileEffect;
};

/** Min difference of a changed file in bytes: smaller ones may come from headers, cookies and dates. */
const leastBytes = 1024;
const leastCpuMs = 15;
const leastCpuShare = 0.25;
/** The same for sides with too few loads for a test: each load of one is far beyond each of the other. */
const obvious = { cpuMs: 50, cpuShare: 0.5 };

const none: Pick<FileFacts, 'bytes' | 'resourceBytes' | 'cpuMs' | 'requests'> = {
  bytes: 0,
  resourceBytes: 0,
  cpuMs: 0,
  requests: 0,
};

/** Returns one number of a file in each load; zero if the load lacks it. */
const valuesOf = (facts: Facts, url: string, name: keyof typeof none): number[] =>
  facts.map(({ files }) => (files[url] ?? none)[name]);

/** Every load of one side must be beyond every load of the other: the size of a file does not vary by chance. */
function isBeyond(before: readonly number[], after: readonly number[], least: number): boolean {
  const gap = Math.max(Math.min(...after) - Math.max(...before), Math.min(...before) - Math.max(...after));
  return gap >= least;
}

export const middle = (values: readonly number[]): number => medianOf(toSorted(values));

function toKind({ before, after }: Sides<Facts>, url: string): FoundFileChange['kind'] | undefined {
  const both = (name: keyof typeof none) => [valuesOf(before, url, name), valuesOf(after, url, name)] as const;
  const [requestsBefore, requestsAfter] = both('requests');
  if (requestsBefore.every(count => count === 0) && requestsAfter.every(count => count > 0)) return 'added';
  if (requestsAfter.every(count => count === 0) && requestsBefore.every(count => count > 0)) return 'removed';
  const [bytesBefore, bytesAfter] = both('bytes');
  const [resourceBefore, resourceAfter] = both('resourceBytes');
  if (isBeyond(resourceBefore, resourceAfter, leastBytes)) return 'size';
  if (isBeyond(bytesBefore, bytesAfter, leastBytes)) return 'packed';
  if (isBeyond(requestsBefore, requestsAfter, 1)) return 'requests';
  const [cpuBefore, cpuAfter] = both('cpuMs');
  const lessMs = Math.min(middle(cpuBefore), middle(cpuAfter));
  const isOther =
    isApart(cpuBefore, cpuAfter, Math.max(leastCpuMs, leastCpuShare * lessMs)) ||
    mayDiffer(cpuBefore, cpuAfter, Math.max(obvious.cpuMs, obvious.cpuShare * lessMs));
  return isOther ? 'work' : undefined;
}

/** Bytes that slow 4G transfers in a millisecond, its round trip in milliseconds, and the CPU throttling of a phone. */
const [bytesPerMs, roundTripMs, slowdown] = [200, 150, 4];

/** Estimates the effect of a change in milliseconds. */
export const toWeight = ({ bytes, cpuMs }: FoundFileChange): number =>
  Math.abs(bytes.after - bytes.before) / bytesPerMs + slowdown * Math.abs(cpuMs.after - cpuMs.before);

/** Adds what each file explains, and sorts by it; files without a known effect are last. */
export const withEffects = (
  changes: readonly FoundFileChange[],
  effects: ReadonlyMap<string, FileEffect>,
): FoundFileChange[] =>
  changes
    .map(change => {
      const effect = effects.get(change.url);
      return effect ? { ...change, effect } : change;
    })
    .toSorted((one, other) => Math.abs(other.effect?.points ?? 0) - Math.abs(one.effect?.points ?? 0));

const leastExpectedMs = 50;

/**
 * Returns the direction in which the page changes if only these files changed; undefined if their effect is small. CPU
 * time of shared files is ignored, because it varies and these changes count as certain. Bytes that no load got before
 * its largest paint delay none.
 */
export function toExpected(
  changes: readonly FoundFileChange[],
  { before, after }: Sides<Facts>,
): 'better' | 'worse' | undefined {
  const isNeeded = (url: string): boolean =>
    [...before, ...after].some(({ files }) => files[url] !== undefined && files[url].place !== 'after');
  const toMs = ({ kind, url, type, bytes, cpuMs, requests }: FoundFileChange): number => {
    const isWhole = kind === 'added' || kind === 'removed';
    const bytesMs = isNeeded(url) ? (bytes.after - bytes.before) / bytesPerMs : 0;
    const redirects = kind === 'requests' && type === 'Document' ? requests.after - requests.before : 0;
    return redirects * roundTripMs + bytesMs + (isWhole ? slowdown * (cpuMs.after - cpuMs.before) : 0);
  };
  const ms = changes.filter(({ kind }) => kind !== 'work').reduce((sum, change) => sum + toMs(change), 0);
  if (Math.abs(ms) < leastExpectedMs) return undefined;
  return ms > 0 ? 'worse' : 'better';
}

/**
 * @param facts facts of each load, at least one for each side
 * @param cpuFactors factor of the CPU times of each load, to compare processors of different speed
 */
export function toFileChanges(facts: Sides<Facts>, cpuFactors?: Sides<readonly number[]>): FoundFileChange[] {
  const urls = new Set([...facts.before, ...facts.after].flatMap(({ files }) => Object.keys(files)));
  const find = (url: string) =>
    facts.before[0]?.files[url] ?? [...facts.before, ...facts.after].find(({ files }) => files[url])?.files[url];
  const faster: Sides<Facts> = {
    before: scale(facts.before, cpuFactors?.before),
    after: scale(facts.after, cpuFactors?.after),
  };
  return [...urls]
    .flatMap((url): FoundFileChange[] => {
      const kind = toKind(faster, url);
      if (!kind) return [];
      const of = (name: keyof typeof none): Sides<number> => ({
        before: middle(valuesOf(faster.before, url, name)),
        after: middle(valuesOf(faster.after, url, name)),
      });
      const type = find(url)?.type ?? 'Other';
      return [
        {
          kind,
          url,
          type,
          bytes: of('bytes'),
          resourceBytes: of('resourceBytes'),
          cpuMs: of('cpuMs'),
          requests: of('requests'),
        },
      ];
    })
    .sort((a, b) => toWeight(b) - toWeight(a));
}

const scale = (facts: Facts, factors: readonly number[] = []): Facts =>
  facts.map((load, at) => {
    const factor = factors[at] ?? 1;
    const toScaled = ([url, file]: [string, FileFacts]) => [url, { ...file, cpuMs: factor * file.cpuMs }];
    return { ...load, files: Object.fromEntries(Object.entries(load.files).map(toScaled)) };
  });
