/** What may play a part, without a share that is known. */
import type { Cause, CauseName } from '../../contract/analysis/comparison.ts';
import { leastStatedPoints } from '../points/noise.ts';

/** Observed, and what they cost is not known. */
const openNames: ReadonlySet<CauseName> = new Set(['throttling', 'cpu', 'server', 'form_factor', 'lighthouse_version']);

export const isOpenCause = ({ cause, certainty, points }: Cause): boolean =>
  certainty === 'possible' || (points === null && openNames.has(cause));

/** For a sentence about performance; what is of no score may bear on this one. */
export const bears = ({ category }: Cause): boolean => category === 'performance' || category === null;

const leftNames: ReadonlySet<CauseName> = new Set(['unexplained', 'simulation']);

/** Whether a part of the difference has no reason but what the least that differs of the page may be. */
export const isLeftOpen = (causes: readonly Cause[]): boolean =>
  causes.some(({ cause, points }) => leftNames.has(cause) && Math.abs(points ?? 0) >= leastStatedPoints) &&
  !causes.some(
    cause => bears(cause) && isOpenCause(cause) && !leftNames.has(cause.cause) && cause.cause !== 'run_noise',
  );
