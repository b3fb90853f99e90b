/** Names the two sides by their analysers, so that only Google is called Google. */
import type { Source } from '../contract/errors.ts';
import type { Analyser } from '../contract/result/result.ts';
import type { Part } from './answer.ts';

/** Returns the side that a source measures: its backend in a request, and its class in the style sheet. */
export const sideOf = (source: Source) => (source === 'psi' ? 'remote' : 'local');

export type SideName = {
  readonly full: string;
  /** Name for narrow columns and labels. */
  readonly short: string;
};

export type SideNames = Readonly<Record<Source, SideName>> & {
  /** The analyser of `psi`; undefined if unknown. */
  readonly remote: Analyser['kind'] | undefined;
};

const local: SideName = { full: 'Local', short: 'Local' };

function nameRemote(analyser: Analyser | undefined): SideName {
  switch (analyser?.kind) {
    case 'google':
      return { full: 'PageSpeed Insights (Google)', short: 'Google' };
    case 'embedded':
      return { full: 'PageSpeed Insights settings, on this machine', short: 'PSI settings' };
    case 'custom':
      return analyser.host === undefined
        ? { full: 'another PageSpeed Insights server', short: 'PageSpeed Insights server' }
        : { full: `PageSpeed Insights at ${analyser.host}`, short: analyser.host };
    default:
      return { full: 'Remote analyser', short: 'Remote' };
  }
}

/** Each analyser as a subject, and its preposition. */
const subjects = {
  local: ['in', 'local Lighthouse'],
  google: ['on', 'Google'],
  embedded: ['with', 'PageSpeed Insights settings'],
  uploaded: ['in', 'uploaded Lighthouse'],
  custom: ['on', undefined],
} as const;

/** Returns a side as a subject: `Google`, the host of the server, `local Lighthouse`. */
export const sayName = (analyser: Analyser | undefined): string =>
  subjects[analyser?.kind ?? 'custom'][1] ?? analyser?.host ?? 'the PageSpeed Insights server';

/** Returns a side in a sentence about a run: `on Google`, `with PageSpeed Insights settings`, `in local Lighthouse`. */
export const whereOf = (analyser: Analyser | undefined): string =>
  `${subjects[analyser?.kind ?? 'custom'][0]} ${sayName(analyser)}`;

export function sayAnalyser(analyser: Analyser): string {
  if (analyser.kind === 'local') return 'Lighthouse on this machine';
  return analyser.kind === 'uploaded' ? 'Lighthouse elsewhere, uploaded' : nameRemote(analyser).full;
}

/** @param analyser analyser of `/psi`, if known */
export const toSideNames = (analyser: Analyser | undefined): SideNames => ({
  psi: nameRemote(analyser),
  lighthouse: local,
  remote: analyser?.kind,
});

/** Returns the names for a result; for a missing or local one, the known names. */
export const namesFor = (part: Part, known: SideNames): SideNames =>
  part.ok && part.result.source === 'psi' ? toSideNames(part.result.analyser) : known;
