/** What may play a part, without a share that is known. */

import type { CauseName } from '../../../contract/analysis/comparison.ts';
import type { FoundCause } from '../evidence.ts';
import { leastStatedPoints } from '../points/noise.ts';
import { doubtful, negligible, slight } from '../same-page/load-difference.ts';

/** Observed, and what they cost is not known. */
const openNames: ReadonlySet<CauseName> = new Set(['throttling', 'cpu', 'server', 'form_factor', 'lighthouse_version']);

export const isOpenCause = ({ cause, certainty, points }: FoundCause): boolean =>
  certainty === 'possible' || (points === null && openNames.has(cause));

/** For a sentence about performance; what is of no score may bear on this one. */
export const bears = ({ category }: FoundCause): boolean => category === 'performance' || category === null;

/** Where one of these is the reason, and no other is possible: so much that differs of the page is worth a word. */
const leastOfPage: ReadonlyMap<CauseName, number> = new Map([
  ['unexplained', negligible],
  ['simulation', doubtful],
  ['disturbed_run', slight],
  // Where the points are is known, and why the page moved is not.
  ['layout_shift', negligible],
]);

/** How much of the page has to differ to be a cause next to these; undefined if no difference is. */
export function weakestPageDifference(causes: readonly FoundCause[]): number | undefined {
  const left = causes.find(({ cause, points }) => leastOfPage.has(cause) && Math.abs(points ?? 0) >= leastStatedPoints);
  const isOther = (cause: FoundCause) =>
    cause !== left && cause.cause !== 'run_noise' && bears(cause) && isOpenCause(cause);
  return left && !causes.some(isOther) ? leastOfPage.get(left.cause) : undefined;
}
