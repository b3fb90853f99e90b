/** Scripts that worked far longer on one side, in files of both sides or in the document itself. */
import { ratioOf } from '../numbers.ts';
import { isFailed } from '../sides/loaded-files.ts';
import { evidenceOf, type LoadDifference, slight, sure } from './load-difference.ts';
import type { LoadPair } from './load-pair.ts';
import type { SharedFile } from './shared-files.ts';

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

const toDifference = ({ name, key, all }: Work, weight: number): LoadDifference => {
  const [theirs, ours] = [Math.round(all[0]), Math.round(all[1])];
  return {
    kind: `script ${key}`,
    evidence: evidenceOf(`script_ms ${name}`, theirs, ours),
    words: `${name} ran for ${theirs} ms on the remote side and for ${ours} ms on this side`,
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
  if (others.length > 0) return others.map(script => toDifference(script, sure));
  const [longest] = work.toSorted((a, b) => differenceOf(b) - differenceOf(a));
  return longest ? [toDifference(longest, slight)] : [];
}
