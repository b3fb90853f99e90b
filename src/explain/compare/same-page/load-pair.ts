import type { Source } from '../../../contract/errors.ts';
import type { LoadReading } from '../../../measure/lhr/facts/load-facts.ts';
import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toText } from '../../../measure/lhr/values.ts';
import { pairFiles, toCommonName } from '../../../presentation/file-pairs.ts';
import { upperMedianOf } from '../../../presentation/values.ts';
import {
  leastScriptMs,
  leastTimedMs,
  longerRatio,
  sameBytesRatio,
  scriptAgreement,
  scriptRatio,
  slight,
  sure,
  unlistedMs,
} from '../constants.ts';
import { type Fact, factOf, ratioOf } from '../evidence.ts';
import { findLimited } from '../side.ts';

/* The loads of both sides, and the facts for comparing them. */

export type FileOfBoth = {
  /** Name of the file that is the same in other pairs of loads. */
  key: string;
  psi: LoadedFile;
  lighthouse: LoadedFile;
};
export type SharedFile = FileOfBoth & {
  name: string;
  /** Whether the file is on the host of the document. */
  isOwn: boolean;
};
export type NamedFile = LoadedFile & { key: string; name: string };

/** Returns the files that both loads have, and those that only one has; empty if a side reports no files. */
function pairLoaded({ files: theirs }: LoadReading, { files: ours }: LoadReading) {
  if (!theirs || !ours) return [];
  return pairFiles([...theirs], [...ours], ([key, { type, bytes }]) => ({ url: key, type, bytes }));
}

export const toFilesOfBoth = (psi: LoadReading, lighthouse: LoadReading): FileOfBoth[] =>
  pairLoaded(psi, lighthouse).flatMap(({ one, other }) =>
    one && other ? [{ key: toCommonName(one[0], other[0]), psi: one[1], lighthouse: other[1] }] : [],
  );

/** Returns a name for both files. If the version or the host differs, neither URL fits both. */
function sayBoth({ key, psi: theirs, lighthouse: ours }: FileOfBoth, host: string | null): string {
  if (theirs.host !== ours.host) return toText(key);
  const [there, here] = [theirs, ours].map(file => file.place.slice(file.host.length)) as [string, string];
  return sayPlace(there === here ? ours : { ...ours, place: `${ours.host}${toCommonName(there, here)}` }, host);
}

function toPairedFiles(
  psi: LoadReading,
  lighthouse: LoadReading,
  host: string | null,
): Pick<LoadPair, 'shared' | 'onlyOn'> {
  const pairs = pairLoaded(psi, lighthouse);
  const toNamed = ([key, file]: [string, LoadedFile]): NamedFile => ({ ...file, key, name: sayPlace(file, host) });
  return {
    shared: toFilesOfBoth(psi, lighthouse).map(file => ({
      ...file,
      name: sayBoth(file, host),
      isOwn: file.psi.host === host && file.lighthouse.host === host,
    })),
    onlyOn: {
      psi: pairs.flatMap(({ one, other }) => (one && !other ? [toNamed(one)] : [])),
      lighthouse: pairs.flatMap(({ one, other }) => (one ? [] : [toNamed(other)])),
    },
  };
}

/** Both loads, and the relation between their machines. */
export type LoadPair = {
  psi: LoadReading;
  lighthouse: LoadReading;
  /**
   * Speed of the remote processor relative to the local one: by all scripts, else by the benchmark index; 1 if unknown.
   */
  speedRatio: number;
  /** The side with a CPU limit, on which all scripts take longer. */
  limited: Source | undefined;
  /** Milliseconds that each page waited for a CPU: its measured work may include up to that much waiting. */
  waitedMs: Readonly<Record<Source, number>>;
  /** Whether both sides ran on one machine, which renders fonts the same way. */
  isSameMachine: boolean;
  /** Whether the browsers report the same milestone, or neither reports one. */
  isSameBrowser: boolean;
  /** Name of each side in a sentence, with its preposition. */
  where: Readonly<Record<Source, string>>;
  /** Host of the document: its files are named by their path alone. */
  host: string | null;
  shared: readonly SharedFile[];
  onlyOn: Readonly<Record<Source, readonly NamedFile[]>>;
};

const hostOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.host ?? null));

const toSpeedRatio = (psi: SideFacts, lighthouse: SideFacts): number =>
  psi.benchmarkIndex === null || lighthouse.benchmarkIndex === null
    ? 1
    : psi.benchmarkIndex / lighthouse.benchmarkIndex;

export const toLoadPair = (psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): LoadPair => ({
  psi: psi.load,
  lighthouse: lighthouse.load,
  ...toPairedFiles(psi.load, lighthouse.load, hostOf(lighthouse.finalUrl)),
  speedRatio: toScriptPace(psi.load, lighthouse.load) ?? toSpeedRatio(psi, lighthouse),
  limited: findLimited(psi.processors, lighthouse.processors),
  waitedMs: { psi: psi.waitedMs ?? 0, lighthouse: lighthouse.waitedMs ?? 0 },
  isSameMachine,
  isSameBrowser: psi.chromeMilestone === lighthouse.chromeMilestone,
  where: { psi: psi.where, lighthouse: lighthouse.where },
  host: hostOf(lighthouse.finalUrl),
});
export const otherSide = { psi: 'lighthouse', lighthouse: 'psi' } as const;

const sayPlace = ({ place, host }: LoadedFile, own: string | null): string =>
  host === own ? place.slice(host.length) || '/' : place;

/** Kinds of differences with their own introduction in the sentence about the page. */
export type Family = 'compression' | 'stored' | 'blocked' | 'consent' | 'largest_element';

export type LoadDifference = {
  /** Kind of the difference, to find the same difference in other pairs of loads. */
  kind: string;
  evidence: Fact;
  /** Clause that follows "the two sides did not load the same page: ". */
  words: string;
  /** Family of the difference, if it has its own introduction in the sentence. */
  family?: Family;
  /** Weight as evidence: `sure` is enough, because two loads of one page do not differ like that. */
  weight: number;
};

/*
 * Compares the times of all scripts on both sides. If they have the same ratio, the cause is the machine and not a
 * script.
 */

const isTimed = (file: LoadedFile): boolean => !isFailed(file) && file.scriptMs >= leastTimedMs;

const timesOf = (psi: LoadReading, lighthouse: LoadReading): number[] =>
  toFilesOfBoth(psi, lighthouse).flatMap(({ psi: theirs, lighthouse: ours }) =>
    isTimed(theirs) && isTimed(ours) && (ratioOf(theirs.bytes, ours.bytes) ?? 1) <= sameBytesRatio
      ? [ours.scriptMs / theirs.scriptMs]
      : [],
  );

/** Returns the ratio of local to PSI time of all scripts; null if they disagree or are too few. */
export function toScriptPace(psi: LoadReading, lighthouse: LoadReading): number | null {
  const times = timesOf(psi, lighthouse);
  const middle = upperMedianOf(times) ?? 1;
  const near = times.filter(time => (ratioOf(time, middle) ?? 1) <= scriptAgreement.ratio).length;
  return near >= scriptAgreement.least && near >= scriptAgreement.share * times.length ? middle : null;
}

const isApart = ([theirs, ours]: readonly [number, number], speedRatio: number, least: number): boolean =>
  [1, speedRatio]
    .map(ratio => theirs * ratio)
    .map(scaled => [Math.max(scaled, unlistedMs), Math.max(ours, unlistedMs)] as const)
    .every(([one, other]) => Math.abs(one - other) >= leastScriptMs && (ratioOf(one, other) ?? 1) >= least);

/**
 * Returns whether a script did different work. Its time also depends on the processor, so it must differ both before
 * and after correction for speed, and not because of a CPU limit.
 */
export const isOtherWork = (
  theirs: number,
  ours: number,
  { speedRatio, limited, waitedMs }: Pick<LoadPair, 'speedRatio' | 'limited' | 'waitedMs'>,
): boolean =>
  isApart(withoutWait([theirs, ours], waitedMs), speedRatio, scriptRatio) &&
  limited !== (theirs > ours ? 'psi' : 'lighthouse');

/** Returns the longer time without the wait for a processor, but at least the shorter time. */
const withoutWait = (
  [theirs, ours]: readonly [number, number],
  waited: LoadPair['waitedMs'],
): readonly [number, number] =>
  theirs > ours ? [Math.max(ours, theirs - waited.psi), ours] : [theirs, Math.max(theirs, ours - waited.lighthouse)];

export const documentScript = 'the script of the document';
/**
 * Name for script that Lighthouse calls Unattributable: code after a promise, in a module imported late, or in a blob.
 */
export const namelessScript = 'script that names no file';

type Work = { name: string; key: string; all: readonly [theirs: number, ours: number] };

const toWorkOf = ({ shared, psi, lighthouse }: LoadPair): Work[] => [
  // A failed script did not run, which is not an additional difference.
  ...shared
    .filter(({ psi, lighthouse }) => isFailed(psi) === isFailed(lighthouse))
    .map(({ psi, lighthouse, name, key }): Work => ({ name, key, all: [psi.scriptMs, lighthouse.scriptMs] })),
  // Inline scripts of the document are not a separate file.
  { name: documentScript, key: 'document', all: [psi.documentScriptMs, lighthouse.documentScriptMs] },
  {
    name: namelessScript,
    key: 'nameless',
    all: [
      psi.namelessScriptMs ?? lighthouse.namelessScriptMs ?? 0,
      lighthouse.namelessScriptMs ?? psi.namelessScriptMs ?? 0,
    ],
  },
];

const toDifference = ({ name, key, all }: Work, { where }: LoadPair, weight: number): LoadDifference => {
  const [theirs, ours] = [Math.round(all[0]), Math.round(all[1])];
  return {
    kind: `script ${key}`,
    evidence: factOf('script_ms', name, theirs, ours),
    words: `${name} ran for ${theirs} ms ${where.psi} and for ${ours} ms ${where.lighthouse}`,
    weight,
  };
};

const differenceOf = ({ all: [theirs, ours] }: Work): number => Math.abs(theirs - ours);

/**
 * Returns scripts with different work, in shared files or in the document itself. If none clearly differs, returns the
 * one with the largest difference, which may be due to a busy machine.
 */
export function toScripts(pair: LoadPair): LoadDifference[] {
  const work = toWorkOf(pair).filter(({ all }) =>
    isApart(withoutWait(all, pair.waitedMs), pair.speedRatio, longerRatio),
  );
  const others = work.filter(({ all }) => isOtherWork(...all, pair));
  if (others.length > 0) return others.map(script => toDifference(script, pair, sure));
  const [longest] = work.toSorted((a, b) => differenceOf(b) - differenceOf(a));
  return longest ? [toDifference(longest, pair, slight)] : [];
}
