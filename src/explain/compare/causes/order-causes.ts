/** Orders causes for display: one for each name, the most informative first. */
import { leastPoints, leastStatedPoints } from '../constants.ts';
import type { FoundCause } from '../evidence.ts';
import { causeTable } from './cause-table.ts';

const kindOf = ({ cause }: FoundCause) => causeTable[cause].kind;

const ranks = { otherPage: 0, priced: 1, device: 2, setting: 3, open: 4, doubted: 5, rest: 6, aside: 7 } as const;

/**
 * Ranks a cause: a different page first, then causes that affect a score, possible ones, the rest, and mere
 * differences. A different device precedes settings without points, because it implies them.
 */
const rankOf = (found: FoundCause, isDisturbed: boolean): number => {
  const { certainty, points } = found;
  const kind = kindOf(found);
  if (kind === 'page' && certainty !== 'possible') return ranks.otherPage;
  if (kind === 'rest') return ranks.rest;
  if (kind === 'device') return ranks.device;
  // A possibly different page or version ranks before a doubtful simulation or a busy machine, because it may explain
  // them.
  if (kind === 'doubted' && certainty === 'possible') return ranks.doubted;
  if (certainty === 'possible' || (kind === 'version' && points === null)) return ranks.open;
  if (kind === 'setting' && points === null) return isDisturbed ? ranks.aside : ranks.setting;
  return points !== null && Math.abs(points) >= leastPoints ? ranks.priced : ranks.aside;
};

function sort(causes: readonly FoundCause[]): FoundCause[] {
  const isDisturbed = causes.some(({ cause }) => cause === 'disturbed_run');
  const toRank = (cause: FoundCause) => rankOf(cause, isDisturbed);
  return causes.toSorted((a, b) => toRank(a) - toRank(b) || Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0));
}

/** Removes the repeated cause of a different version: if its metric weights cost points, they are the cause. */
const withoutRepeated = (causes: readonly FoundCause[]): FoundCause[] => {
  const isPriced = causes.some(({ cause, points }) => cause === 'lighthouse_version' && points !== null);
  return causes.filter(({ cause, points }) => !isPriced || cause !== 'lighthouse_version' || points !== null);
};

const joinRepeated = (causes: readonly FoundCause[]): FoundCause[] =>
  causes.flatMap((cause, at) => {
    const { join } = causeTable[cause.cause];
    const [first, ...others] = causes.filter(other => other.cause === cause.cause);
    if (!join || !first || others.length === 0) return [cause];
    return causes.indexOf(first) === at ? [join(first, others)] : [];
  });

export const orderCauses = (causes: readonly FoundCause[]): FoundCause[] => sort(withoutRepeated(joinRepeated(causes)));

/** Returns whether a cause is possible, or was observed without its share of the points. */
export const isOpenCause = ({ cause, certainty, points }: FoundCause): boolean =>
  certainty === 'possible' || (points === null && causeTable[cause].isOpen === true);

/** Returns whether a cause may affect the performance score; those without a category may. */
export const bears = ({ category }: FoundCause): boolean => category === 'performance' || category === null;

/** Returns the min weight of a page difference that counts as a cause next to these; undefined if none counts. */
export function weakestPageDifference(causes: readonly FoundCause[]): number | undefined {
  const leastOf = ({ cause }: FoundCause) => causeTable[cause].leastOfPage;
  const left = causes.find(found => leastOf(found) !== undefined && Math.abs(found.points ?? 0) >= leastStatedPoints);
  const isOther = (cause: FoundCause) =>
    cause !== left && cause.cause !== 'run_noise' && bears(cause) && isOpenCause(cause);
  return left && !causes.some(isOther) ? leastOf(left) : undefined;
}

/* Reconciles named causes with a rest called noise or unexplained: points have only one explanation. */

const isRest = (found: FoundCause): boolean => kindOf(found) === 'rest';

/** Returns whether a cause is definite: it affected the score noticeably, or shows that the page was different. */
const isNamed = ({ cause, certainty, points }: FoundCause): boolean =>
  certainty !== 'possible' && (causeTable[cause].kind === 'page' || Math.abs(points ?? 0) >= leastStatedPoints);

const restOf = (cause: FoundCause, certainty: FoundCause['certainty'], explanation: string): FoundCause => ({
  ...cause,
  cause: 'unexplained',
  certainty,
  explanation,
});

/**
 * Rewords the rest according to the other causes.
 * @param difference difference of the scores
 * @param floor min difference that is meaningful: below it, the rest is noise
 */
export function settleRest(causes: readonly FoundCause[], difference: number, floor: number): FoundCause[] {
  const others = causes.filter(cause => bears(cause) && !isRest(cause));
  const isAnyNamed = others.some(isNamed);
  const rest = causes.filter(isRest).reduce((sum, { points }) => sum + (points ?? 0), 0);
  const isPaid = isAnyNamed && Math.abs(rest) <= Math.abs(difference) / 2;
  const isApart = Math.abs(difference) > floor || (isPaid && Math.abs(difference) > leastStatedPoints);
  if (!isApart || (!isAnyNamed && !others.some(isOpenCause))) return [...causes];
  return causes.map(cause => {
    // Observed noise has evidence, and a possible rest already has the words for a different page.
    if (
      !isRest(cause) ||
      cause.evidence.length > 0 ||
      (cause.cause === 'unexplained' && cause.certainty === 'possible')
    )
      return cause;
    if (cause.cause === 'run_noise')
      return isAnyNamed
        ? restOf(cause, 'possible', 'The remaining points are within normal run-to-run variation.')
        : cause;
    return isAnyNamed
      ? restOf(cause, 'observed', 'No other difference is large enough to explain the remaining points.')
      : restOf(cause, 'possible', 'The share of each possible cause was not measured.');
  });
}
