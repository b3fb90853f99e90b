import type { LoadFacts } from '../../../measure/lhr/facts/load-facts.ts';
import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
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
import { type Fact, factOf } from '../evidence.ts';
import { ratioOf } from '../phrases.ts';
import { findLimited } from '../sides/side.ts';
import type { SharedFile } from './shared-files.ts';

/** The loads of both sides, and what has to be known to compare them. */

/** Both loads, and how the machines stand to each other. */
export type LoadPair = {
  psi: LoadFacts;
  lighthouse: LoadFacts;
  /** How many times the remote processor is as fast as ours: by all scripts, else by its index; 1 where nothing is known. */
  speedRatio: number;
  /** The side whose work a limit interrupts: its scripts take longer, whatever they are. */
  limited: SideName | undefined;
  /** Milliseconds for which each page waited for a processor: so much of its work may be no work of its own. */
  waitedMs: Readonly<Record<SideName, number>>;
  /** Then letters are drawn alike. */
  isSameMachine: boolean;
  /** Of one milestone, as far as is known. */
  isSameBrowser: boolean;
  /** How a sentence names each side, with its preposition. */
  where: Readonly<Record<SideName, string>>;
  /** Host of the document: its files are named by their path alone. */
  host: string | null;
};

const hostOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.host ?? null));

const toSpeedRatio = (psi: SideFacts, lighthouse: SideFacts): number =>
  psi.benchmarkIndex === null || lighthouse.benchmarkIndex === null
    ? 1
    : psi.benchmarkIndex / lighthouse.benchmarkIndex;

export const toLoadPair = (psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): LoadPair => ({
  psi: psi.load,
  lighthouse: lighthouse.load,
  speedRatio: toScriptPace(psi.load, lighthouse.load) ?? toSpeedRatio(psi, lighthouse),
  limited: findLimited(psi.processors, lighthouse.processors),
  waitedMs: { psi: psi.waitedMs ?? 0, lighthouse: lighthouse.waitedMs ?? 0 },
  isSameMachine,
  isSameBrowser: psi.chromeMilestone === lighthouse.chromeMilestone,
  where: { psi: psi.where, lighthouse: lighthouse.where },
  host: hostOf(lighthouse.finalUrl),
});

export type SideName = 'psi' | 'lighthouse';
export const otherSide = { psi: 'lighthouse', lighthouse: 'psi' } as const;

export const sayPlace = ({ place, host }: LoadedFile, own: string | null): string =>
  host === own ? place.slice(host.length) || '/' : place;

/** Something in which two loads of a page differ: how much it says, its evidence, and the words for it. */

/** Differences that say more than that the page is another one. */
export type Family = 'compression' | 'stored' | 'blocked' | 'consent' | 'largest_element';

/** Something in which two loads differ. */
export type LoadDifference = {
  /** The same for the same kind of difference in another pair of loads. */
  kind: string;
  evidence: Fact;
  /** A clause for after "the two sides did not load the same page: ". */
  words: string;
  /** What kind of page it is then, where that has a name of its own. */
  family?: Family;
  /** How much it says: `sure` is enough for two pages, two loads of one page do not differ so. */
  weight: number;
};

export const sayBytes = (bytes: number): string => {
  if (bytes >= 1_000_000) return `${Number((bytes / 1_000_000).toFixed(1))} MB`;
  if (bytes < 1000) return `${bytes} bytes`;
  return `${Number((bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0))} KB`;
};

/** Scripts that worked far longer on one side, in files of both sides or in the document itself. */

/* How much longer the scripts of both sides took on one of them, where all did alike: then it is no script's own work. */

const isTimed = (file: LoadedFile): boolean => !isFailed(file) && file.scriptMs >= leastTimedMs;

const timesOf = ({ files: theirs }: LoadFacts, { files: ours }: LoadFacts): number[] =>
  [...(theirs ?? [])].flatMap(([key, file]) => {
    const own = ours?.get(key);
    if (!own || !isTimed(file) || !isTimed(own)) return [];
    return (ratioOf(file.bytes, own.bytes) ?? 1) <= sameBytesRatio ? [own.scriptMs / file.scriptMs] : [];
  });

/** How many times as long every script took locally; null if the scripts disagree or are too few. */
export function toScriptPace(psi: LoadFacts, lighthouse: LoadFacts): number | null {
  const times = timesOf(psi, lighthouse).toSorted((a, b) => a - b);
  const middle = times[times.length >> 1] ?? 1;
  const near = times.filter(time => (ratioOf(time, middle) ?? 1) <= scriptAgreement.ratio).length;
  return near >= scriptAgreement.least && near >= scriptAgreement.share * times.length ? middle : null;
}

const isApart = ([theirs, ours]: readonly [number, number], speedRatio: number, least: number): boolean =>
  [1, speedRatio]
    .map(ratio => theirs * ratio)
    .map(scaled => [Math.max(scaled, unlistedMs), Math.max(ours, unlistedMs)] as const)
    .every(([one, other]) => Math.abs(one - other) >= leastScriptMs && (ratioOf(one, other) ?? 1) >= least);

/**
 * The time of a script differs with the processor, too: it counts when it does each way, by the clock and by the speed;
 * and where no limit made it longer.
 */
export const isOtherWork = (
  theirs: number,
  ours: number,
  { speedRatio, limited, waitedMs }: Pick<LoadPair, 'speedRatio' | 'limited' | 'waitedMs'>,
): boolean =>
  isApart(withoutWait([theirs, ours], waitedMs), speedRatio, scriptRatio) &&
  limited !== (theirs > ours ? 'psi' : 'lighthouse');

/** The longer work without what its page waited for a processor, but never less than the shorter one. */
const withoutWait = (
  [theirs, ours]: readonly [number, number],
  waited: LoadPair['waitedMs'],
): readonly [number, number] =>
  theirs > ours ? [Math.max(ours, theirs - waited.psi), ours] : [theirs, Math.max(theirs, ours - waited.lighthouse)];

export const documentScript = 'the script of the document';
/** Lighthouse calls it Unattributable: what runs after a promise, in a module that was imported late, in a blob. */
export const namelessScript = 'script that names no file';

type Work = { name: string; key: string; all: readonly [theirs: number, ours: number] };

const toWorkOf = (files: readonly SharedFile[], { psi, lighthouse }: LoadPair): Work[] => [
  // A script that failed did not run, which says nothing more.
  ...files
    .filter(({ psi, lighthouse }) => isFailed(psi) === isFailed(lighthouse))
    .map(({ psi, lighthouse, name, key }): Work => ({ name, key, all: [psi.scriptMs, lighthouse.scriptMs] })),
  // Scripts in the document itself are no file of their own.
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

/** Where no script is another one by itself, the one that is furthest apart may be. */
export function toScripts(files: readonly SharedFile[], pair: LoadPair): LoadDifference[] {
  const work = toWorkOf(files, pair).filter(({ all }) =>
    isApart(withoutWait(all, pair.waitedMs), pair.speedRatio, longerRatio),
  );
  const others = work.filter(({ all }) => isOtherWork(...all, pair));
  if (others.length > 0) return others.map(script => toDifference(script, pair, sure));
  const [longest] = work.toSorted((a, b) => differenceOf(b) - differenceOf(a));
  return longest ? [toDifference(longest, pair, slight)] : [];
}
