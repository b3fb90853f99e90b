/** Scripts that worked far longer on one side, in files of both sides or in the document itself. */

import type { LoadFacts } from '../../../measure/lhr/facts/load-facts.ts';
import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import { factOf } from '../evidence.ts';
import { ratioOf } from '../phrases.ts';
import { type LoadDifference, slight, sure } from './load-difference.ts';
import type { LoadPair } from './load-pair.ts';
import type { SharedFile } from './shared-files.ts';

/* How much longer the scripts of both sides took on one of them, where all did alike: then it is no script's own work. */

/** Shorter ones are measured too roughly. */
const leastMs = 20;
const sameBytesRatio = 1.2;
/** So many scripts, and of all of them such a share, lie so near to the one in the middle. */
const agreement = { least: 3, share: 0.7, ratio: 1.5 };

const isTimed = (file: LoadedFile): boolean => !isFailed(file) && file.scriptMs >= leastMs;

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
  const near = times.filter(time => (ratioOf(time, middle) ?? 1) <= agreement.ratio).length;
  return near >= agreement.least && near >= agreement.share * times.length ? middle : null;
}

const scriptRatio = 3;
const leastScriptMs = 150;
/** Lighthouse lists no script of less, as it slowed it down: what is not listed may have run for so long. */
const unlistedMs = 50;
/** So many times as long takes a script on a machine that is held up: this says little. */
const longerRatio = 1.8;

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
