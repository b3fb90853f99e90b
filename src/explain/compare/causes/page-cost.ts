/** What another page costs, in words: the cause says it, and the verdict leaves it to the scores. */
import { countPoints, cutTo, maxNamed, tidy } from '../phrases.ts';
import { leastPoints, leastStatedPoints } from '../points/noise.ts';

/** How the sentence about the cost begins, behind what differs. */
export const costWords = ' Simulated with what the remote side got of ';

const sayPoints = (points: number): string =>
  Math.abs(points) < leastPoints
    ? 'the same'
    : `${countPoints(tidy(Math.abs(points), 1))} ${points < 0 ? 'more' : 'less'}`;

/** What the difference moved the local score by, under the settings of either side. */
export type PageCost = { here: number; there: number };

/** @param multipliers of the processor, remote and local: work costs more where it is slowed down more */
export function tellPageCost(
  names: readonly string[],
  { here, there }: PageCost,
  [theirs, ours]: readonly [theirs: number, ours: number],
): string {
  const said = `${costWords}${cutTo(names, maxNamed)}, this load scores ${sayPoints(here)}`;
  if (Math.abs(here - there) < leastStatedPoints) return `${said}.`;
  return theirs === ours
    ? `${said}, and under the settings of the remote side ${sayPoints(there)}.`
    : `${said} at ${ours}× CPU throttling, and ${sayPoints(there)} at the ${theirs}× of the remote side.`;
}
