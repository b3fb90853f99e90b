/** The loads of both sides, and what has to be known to compare them. */

import type { LoadFacts } from '../../../measure/lhr/facts/load-facts.ts';
import type { LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { findLimited } from '../sides/side.ts';
import { toScriptPace } from './script-work.ts';

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
