/** The causes as they are shown: one of each kind, most telling first. */

import type { CauseName } from '../../../contract/analysis/comparison.ts';
import { type FoundCause, nameOf } from '../evidence.ts';
import { tidy } from '../phrases.ts';
import { leastPoints } from '../points/noise.ts';

/** What a re-audit would have computed. */
const settingNames: ReadonlySet<CauseName> = new Set(['throttling', 'cpu', 'server']);

/** Differences of the sides themselves, which may have moved the score. */
const openNames: ReadonlySet<CauseName> = new Set(['lighthouse_version']);

const restNames: ReadonlySet<CauseName> = new Set(['run_noise', 'unexplained']);

const doubtedNames: ReadonlySet<CauseName> = new Set(['simulation', 'disturbed_run']);

const ranks = { otherPage: 0, priced: 1, device: 2, setting: 3, open: 4, doubted: 5, rest: 6, aside: 7 } as const;

/**
 * Another page first, then what moves a score, what is possible, the rest, and mere differences. Another device stands
 * before settings that were not priced: they come with it.
 */
const rankOf = ({ cause, certainty, points }: FoundCause, isDisturbed: boolean): number => {
  if (cause === 'different_page' && certainty !== 'possible') return ranks.otherPage;
  if (restNames.has(cause)) return ranks.rest;
  if (cause === 'form_factor') return ranks.device;
  // Where the page or the version may be another one, that comes before what the simulation made of it, and before a busy
  // machine: any may be that.
  if (doubtedNames.has(cause) && certainty === 'possible') return ranks.doubted;
  if (certainty === 'possible' || (openNames.has(cause) && points === null)) return ranks.open;
  if (settingNames.has(cause) && points === null) return isDisturbed ? ranks.aside : ranks.setting;
  return points !== null && Math.abs(points) >= leastPoints ? ranks.priced : ranks.aside;
};

function sort(causes: readonly FoundCause[]): FoundCause[] {
  const isDisturbed = causes.some(({ cause }) => cause === 'disturbed_run');
  const toRank = (cause: FoundCause) => rankOf(cause, isDisturbed);
  return causes.toSorted((a, b) => toRank(a) - toRank(b) || Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));
}

/** Another version is one cause: by its weights of metrics, where they cost something. */
const withoutRepeated = (causes: readonly FoundCause[]): FoundCause[] => {
  const isPriced = causes.some(({ cause, points }) => cause === 'lighthouse_version' && points !== null);
  return causes.filter(({ cause, points }) => !isPriced || cause !== 'lighthouse_version' || points !== null);
};

const sumOf = (causes: readonly FoundCause[]): number | null => {
  const known = causes.flatMap(({ points }) => points ?? []);
  return known.length === 0
    ? null
    : tidy(
        known.reduce((sum, points) => sum + points, 0),
        1,
      );
};

type Join = (first: FoundCause, others: readonly FoundCause[]) => FoundCause;

const joinEvidence = (causes: readonly FoundCause[]): FoundCause['evidence'] => {
  const all = causes.flatMap(({ evidence }) => evidence);
  return all.filter((one, at) => all.findIndex(other => nameOf(other) === nameOf(one)) === at);
};

/** What all its answers took, and a single one of them. */
const joinServers: Join = (first, others) => ({ ...first, evidence: joinEvidence([first, ...others]) });

/** What its index costs, and the rest by its limit: a range is only known of the index. */
const joinMachines: Join = (first, others) => {
  const { points_range: _, ...joined } = first;
  return {
    ...joined,
    points: sumOf([first, ...others]),
    evidence: joinEvidence([first, ...others]),
    explanation: [first, ...others].map(({ explanation }) => explanation).join(' '),
  };
};

const joins: Partial<Readonly<Record<CauseName, Join>>> = { server: joinServers, machine: joinMachines };

/** A server is one cause, and so are the machines. */
const joinRepeated = (causes: readonly FoundCause[]): FoundCause[] =>
  causes.flatMap((cause, at) => {
    const join = joins[cause.cause];
    const [first, ...others] = causes.filter(other => other.cause === cause.cause);
    if (!join || !first || others.length === 0) return [cause];
    return causes.indexOf(first) === at ? [join(first, others)] : [];
  });

export const orderCauses = (causes: readonly FoundCause[]): FoundCause[] => sort(withoutRepeated(joinRepeated(causes)));
