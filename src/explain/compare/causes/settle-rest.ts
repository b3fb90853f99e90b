/** A cause that is named, and a rest that is called noise or unexplained: only one of them can hold for the same points. */
import type { FoundCause } from '../evidence.ts';
import { leastStatedPoints } from '../points/noise.ts';
import { bears, isOpenCause } from './open-causes.ts';

const isRest = ({ cause }: FoundCause): boolean => cause === 'run_noise' || cause === 'unexplained';

/** Moved the score by so much, or shows that the page was another one. */
const isNamed = ({ cause, certainty, points }: FoundCause): boolean =>
  certainty !== 'possible' && (cause === 'different_page' || Math.abs(points ?? 0) >= leastStatedPoints);

const restOf = (cause: FoundCause, certainty: FoundCause['certainty'], explanation: string): FoundCause => ({
  ...cause,
  cause: 'unexplained',
  certainty,
  explanation,
});

/**
 * Says of the rest what is left to say next to the other causes.
 * @param difference of the scores
 * @param floor how far scores have to be apart to mean something: below it noise is said of them, and not of a rest
 */
export function settleRest(causes: readonly FoundCause[], difference: number, floor: number): FoundCause[] {
  const others = causes.filter(cause => bears(cause) && !isRest(cause));
  const isAnyNamed = others.some(isNamed);
  const rest = causes.filter(isRest).reduce((sum, { points }) => sum + (points ?? 0), 0);
  const isPaid = isAnyNamed && Math.abs(rest) <= Math.abs(difference) / 2;
  const isApart = Math.abs(difference) > floor || (isPaid && Math.abs(difference) > leastStatedPoints);
  if (!isApart || (!isAnyNamed && !others.some(isOpenCause))) return [...causes];
  return causes.map(cause => {
    // What was seen of noise is evidence; what is left behind another page is called that already.
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
      ? restOf(cause, 'observed', 'Nothing else that was compared differs enough to explain the remaining points.')
      : restOf(cause, 'possible', 'The share of each possible cause was not measured.');
  });
}
