import type { Evidence } from '../contract/comparison.ts';
import type { LoadedFile, LoadFacts } from './load-facts.ts';
import { ratioOf } from './numbers.ts';
import { differenceOf } from './pictures.ts';

/** Enough by itself; two that are worth half of it are as good. */
export const sure = 2;
export const likely = 1;
/** Enough together with anything else. */
const strong = 1.75;
export const slight = 0.5;
export const hardly = 0.25;

/** Something in which two loads differ. */
export type LoadDifference = {
  /** The same for the same kind of difference in another pair of loads. */
  kind: string;
  evidence: Evidence;
  /** What a sentence says of it, after "the two sides did not load the same page: ". */
  words: string;
  /** How much it says: `sure` is enough for two pages, two loads of one page do not differ so. */
  weight: number;
};

/** Both sides, and how their machines stand to each other. */
export type LoadPair = {
  psi: LoadFacts;
  lighthouse: LoadFacts;
  /** How many times the remote processor is as fast as ours; 1 where nothing is known. */
  speedRatio: number;
  /** Then letters are drawn alike. */
  isSameMachine: boolean;
  /** Host of the document: its files are named by their path alone. */
  host: string | null;
};

type Side = 'psi' | 'lighthouse';
const sideWords = { psi: 'the remote side', lighthouse: 'this side' } as const;
const otherSide = { psi: 'lighthouse', lighthouse: 'psi' } as const;

export const sayBytes = (bytes: number): string => {
  if (bytes >= 1_000_000) return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
  if (bytes < 1000) return `${bytes} bytes`;
  return `${Number((bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0))} KB`;
};

const sayPlace = ({ place, host }: LoadedFile, own: string | null): string =>
  host === own ? place.slice(host.length) || '/' : place;

const evidenceOf = (fact: string, psi: Evidence['psi'], lighthouse: Evidence['lighthouse']): Evidence => ({
  fact,
  psi,
  lighthouse,
});

export type SharedFile = { key: string; psi: LoadedFile; lighthouse: LoadedFile; name: string };

export const toShared = ({ psi, lighthouse, host }: LoadPair): SharedFile[] =>
  [...(psi.files ?? [])].flatMap(([key, theirs]) => {
    const ours = lighthouse.files?.get(key);
    return ours ? [{ key, psi: theirs, lighthouse: ours, name: sayPlace(ours, host) }] : [];
  });

export const isFailed = ({ status }: LoadedFile): boolean => status !== null && status >= 400;

/** A request that failed on one side and worked on the other. */
const toFailures = (files: readonly SharedFile[]): LoadDifference[] =>
  files
    .filter(({ psi, lighthouse }) => isFailed(psi) !== isFailed(lighthouse))
    .map(({ psi, lighthouse, name, key }) => {
      const side = isFailed(psi) ? 'psi' : 'lighthouse';
      const failed = side === 'psi' ? psi : lighthouse;
      return {
        kind: `status ${key}`,
        evidence: evidenceOf(`status ${name}`, psi.status, lighthouse.status),
        words: `${sideWords[side]} got a ${failed.status} for ${name}`,
        weight: sure,
      };
    });

const sizeRatio = 1.5;
const leastBytes = 10_000;
export const isOtherSize = (theirs: number, ours: number): boolean =>
  Math.abs(theirs - ours) >= leastBytes && (ratioOf(theirs, ours) ?? 1) >= sizeRatio;

/** What a program puts together for each visitor. */
export const isComposed = ({ type }: LoadedFile): boolean => type === 'XHR' || type === 'Fetch' || type === 'Document';

const toSizes = (files: readonly SharedFile[]): LoadDifference[] =>
  files
    .filter(({ psi, lighthouse }) => !isFailed(psi) && !isFailed(lighthouse))
    .filter(({ psi, lighthouse }) => isOtherSize(psi.bytes, lighthouse.bytes))
    .toSorted((a, b) => Math.abs(b.psi.bytes - b.lighthouse.bytes) - Math.abs(a.psi.bytes - a.lighthouse.bytes))
    .map(({ psi, lighthouse, name, key }) => ({
      kind: `bytes ${key}`,
      evidence: evidenceOf(`bytes ${name}`, psi.bytes, lighthouse.bytes),
      words: `the remote side got ${sayBytes(psi.bytes)} of ${name} where this side got ${sayBytes(lighthouse.bytes)}`,
      weight: isComposed(lighthouse) ? likely : sure,
    }));

/** The same file, packed on one side only. */
const toTransfers = (files: readonly SharedFile[]): LoadDifference[] =>
  files
    .filter(
      ({ psi, lighthouse }) => !isFailed(psi) && !isFailed(lighthouse) && !isOtherSize(psi.bytes, lighthouse.bytes),
    )
    .filter(({ psi, lighthouse }) => isOtherSize(psi.transferred, lighthouse.transferred))
    .map(({ psi, lighthouse, name, key }) => ({
      kind: `transferred ${key}`,
      evidence: evidenceOf(`transferred_bytes ${name}`, psi.transferred, lighthouse.transferred),
      words: `${name} took ${sayBytes(psi.transferred)} of the network on the remote side and ${sayBytes(lighthouse.transferred)} on this side`,
      weight: sure,
    }));

/** Scripts and style sheets that hold up the page come first; others and those at its end come later. */
const toPriorities = (files: readonly SharedFile[]): LoadDifference[] =>
  files
    .filter(({ psi: { type } }) => type === 'Script' || type === 'Stylesheet')
    .filter(({ psi, lighthouse }) => psi.priority && lighthouse.priority && psi.priority !== lighthouse.priority)
    .map(({ psi, lighthouse, name, key }) => ({
      kind: `priority ${key}`,
      evidence: evidenceOf(`priority ${name}`, psi.priority, lighthouse.priority),
      words: `${name} was asked for with ${psi.priority?.toLowerCase()} priority on the remote side and with ${lighthouse.priority?.toLowerCase()} priority on this side`,
      weight: strong,
    }));

const scriptRatio = 3;
const leastScriptMs = 150;

/** The time of a script differs with the processor, too: it counts when it does either way, by the clock and by the speed. */
export const isOtherWork = (theirs: number, ours: number, speedRatio: number): boolean =>
  [theirs, theirs * speedRatio].every(
    scaled => Math.abs(scaled - ours) >= leastScriptMs && (ratioOf(scaled, ours) ?? 1) >= scriptRatio,
  );

const toScripts = (files: readonly SharedFile[], { speedRatio }: LoadPair): LoadDifference[] =>
  files
    .filter(({ psi, lighthouse }) => isOtherWork(psi.scriptMs, lighthouse.scriptMs, speedRatio))
    .map(({ psi, lighthouse, name, key }) => {
      const [theirs, ours] = [Math.round(psi.scriptMs), Math.round(lighthouse.scriptMs)];
      return {
        kind: `script ${key}`,
        evidence: evidenceOf(`script_ms ${name}`, theirs, ours),
        words: `${name} ran for ${theirs} ms on the remote side and for ${ours} ms on this side`,
        weight: sure,
      };
    });

export type NamedFile = LoadedFile & { key: string; name: string };

const onlyOn = (pair: LoadPair, side: Side): NamedFile[] => {
  const [own, other] = [pair[side].files, pair[otherSide[side]].files];
  if (!own || !other) return [];
  return [...own].flatMap(([key, file]) => (other.has(key) ? [] : [{ ...file, key, name: sayPlace(file, pair.host) }]));
};

/** What moves a page: another of a few bytes is anybody's counter. */
const noticedBytes = 20_000;
const noticedScriptMs = 50;
const noticedShare = 0.05;

const totalOf = (files: Iterable<LoadedFile>): number => {
  let sum = 0;
  for (const { bytes } of files) sum += bytes;
  return sum;
};

const areNoticed = (files: readonly NamedFile[], all: number, otherHosts: ReadonlySet<string>): boolean => {
  const bytes = totalOf(files);
  return (
    (bytes >= noticedBytes && bytes >= noticedShare * all) ||
    files.some(
      ({ type, scriptMs, host }) =>
        scriptMs >= noticedScriptMs || type === 'Stylesheet' || (type === 'Script' && !otherHosts.has(host)),
    )
  );
};

const named = 2;
const sayNames = (files: readonly { name: string }[]): string => {
  const first = files.slice(0, named).map(({ name }) => name);
  return files.length > named ? `${first.join(', ')} and others` : first.join(' and ');
};

/** The kind of a file, for pages that load another one of it each time. */
const toFolder = ({ key, type }: NamedFile): string => `only ${type} ${key.slice(0, key.lastIndexOf('/'))}`;

const sayWork = (files: readonly LoadedFile[]): string[] => {
  const ms = Math.round(files.reduce((sum, { scriptMs }) => sum + scriptMs, 0));
  return ms >= noticedScriptMs ? [`${ms} ms of script`] : [];
};

/** What one side loaded and the other did not, most telling first, and whether that moves a page. */
export function findOneSided(pair: LoadPair, side: Side): { files: readonly NamedFile[]; isNoticed: boolean } {
  const files = onlyOn(pair, side).toSorted((a, b) => b.scriptMs - a.scriptMs || b.bytes - a.bytes);
  const other = pair[otherSide[side]].files ?? new Map<string, LoadedFile>();
  const hosts = new Set([...other.values()].map(({ host }) => host));
  if (pair.host !== null) hosts.add(pair.host);
  const all = totalOf((pair[side].files ?? new Map()).values());
  return { files, isNoticed: areNoticed(files, all, hosts) };
}

function toOneSided(pair: LoadPair, side: Side): LoadDifference[] {
  const { files, isNoticed } = findOneSided(pair, side);
  const [first] = files;
  if (!first) return [];
  const loaded = files.length === 1 ? first.name : `${files.length} files`;
  const words = `only ${sideWords[side]} loaded ${sayNames(files)}`;
  return [
    {
      kind: toFolder(first),
      evidence: evidenceOf(`loaded ${first.name}`, side === 'psi' ? loaded : null, side === 'psi' ? null : loaded),
      words: `${words} (${[sayBytes(totalOf(files)), ...sayWork(files)].join(', ')})`,
      weight: isNoticed ? sure : hardly,
    },
  ];
}

function toErrors({ psi, lighthouse }: LoadPair): LoadDifference[] {
  if (!psi.consoleErrors || !lighthouse.consoleErrors) return [];
  const [theirs, ours] = [new Set(psi.consoleErrors), new Set(lighthouse.consoleErrors)];
  const extra = (['psi', 'lighthouse'] as const).flatMap(side => {
    const [own, other] = side === 'psi' ? [theirs, ours] : [ours, theirs];
    const [text] = [...own].filter(error => !other.has(error));
    return text === undefined ? [] : [{ side, text, weight: other.size === 0 ? sure : hardly }];
  });
  return extra.map(({ side, text, weight }) => ({
    kind: `error ${side}`,
    evidence: evidenceOf('console_error', side === 'psi' ? text : null, side === 'psi' ? null : text),
    words: `only ${sideWords[side]} saw an error in the console (${text})`,
    weight,
  }));
}

const maxShort = 40;
const toShort = (text: string): string =>
  text.length <= maxShort
    ? text
    : `${text
        .slice(0, maxShort - 1)
        .trimEnd()
        .toWellFormed()}…`;

function toElement({
  psi: { largestElement: theirs },
  lighthouse: { largestElement: ours },
}: LoadPair): LoadDifference[] {
  if (!theirs || !ours) return [];
  const say = ({ text, selector }: NonNullable<typeof ours>) => toShort(text || selector);
  if (say(theirs) === '' || say(ours) === '' || (theirs.text === ours.text && theirs.selector === ours.selector))
    return [];
  return [
    {
      kind: 'largest_element',
      evidence: evidenceOf('largest_element', say(theirs), say(ours)),
      words: `the largest element was “${say(theirs)}” on the remote side and “${say(ours)}” on this side`,
      weight: likely,
    },
  ];
}

/** Two loads of a page without moving parts give the same picture: 0 percent. */
const leastPicturePercent = 2;
/** Another machine has other fonts. */
const leastCoarsePercent = 10;
const largePicturePercent = 25;

function toPicture({ psi, lighthouse, isSameMachine }: LoadPair): LoadDifference[] {
  const percent = differenceOf(psi.picture, lighthouse.picture, isSameMachine ? 'fine' : 'coarse');
  if (percent === null || percent < (isSameMachine ? leastPicturePercent : leastCoarsePercent)) return [];
  return [
    {
      kind: 'picture',
      evidence: evidenceOf('picture_difference_percent', percent, percent),
      words: `the last pictures of the two loads differ in ${percent} % of their area`,
      weight: percent >= largePicturePercent ? strong : likely,
    },
  ];
}

/** What two loads differ in, most telling first. Where a side does not say, nothing is said. */
export function compareLoads(pair: LoadPair): LoadDifference[] {
  const shared = toShared(pair);
  const failures = toFailures(shared);
  const all = [
    ...failures,
    ...toSizes(shared),
    ...toTransfers(shared),
    ...toPriorities(shared),
    ...toScripts(shared, pair),
    ...toOneSided(pair, 'psi'),
    ...toOneSided(pair, 'lighthouse'),
    // A failed request writes one, too.
    ...(failures.length > 0 ? [] : toErrors(pair)),
    ...toElement(pair),
    ...toPicture(pair),
  ];
  return all.toSorted((a, b) => b.weight - a.weight);
}
