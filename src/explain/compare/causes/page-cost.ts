/** The effect of another page on the score, in words. */

import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { countPoints, cutTo, maxNamed, tidy } from '../phrases.ts';
import { leastPoints, leastStatedPoints } from '../points/noise.ts';

const sayPoints = (points: number): string =>
  Math.abs(points) < leastPoints
    ? 'the same'
    : `${countPoints(tidy(Math.abs(points), 1))} ${points < 0 ? 'more' : 'less'}`;

/** Points by which the difference moved the local score, under the settings of either side. */
export type PageCost = { here: number; there: number };

/** @returns a sentence for behind the one that names the difference; the same work costs more points under more CPU throttling */
export function tellPageCost(
  names: readonly string[],
  { here, there }: PageCost,
  [psi, lighthouse]: readonly [SideFacts, SideFacts],
): string {
  const [theirs, ours] = [psi.throttling.cpuSlowdownMultiplier, lighthouse.throttling.cpuSlowdownMultiplier];
  const said = ` Simulated with ${cutTo(names, maxNamed)} as ${psi.where}, the local load scores ${sayPoints(here)}`;
  if (Math.abs(here - there) < leastStatedPoints) return `${said}.`;
  return theirs === ours
    ? `${said}, and ${sayPoints(there)} with the settings of the remote run.`
    : `${said} at ${ours}× CPU throttling, and ${sayPoints(there)} at ${theirs}×.`;
}
