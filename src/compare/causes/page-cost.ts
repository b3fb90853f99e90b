/** What another page costs, in words: the cause says it, and the verdict leaves it to the scores. */
import { tidy } from '../numbers.ts';
import { countPoints, cutTo, maxNamed } from '../phrases.ts';
import { leastPoints } from '../points/noise.ts';

/** How the sentence about the cost begins, behind what differs. */
export const costWords = ' Simulated with what the remote side got of ';

/** @param points what the difference moved the local score by */
export function tellPageCost(names: readonly string[], points: number): string {
  const score =
    Math.abs(points) < leastPoints
      ? 'the same'
      : `${countPoints(tidy(Math.abs(points), 1))} ${points < 0 ? 'more' : 'less'}`;
  return `${costWords}${cutTo(names, maxNamed)}, this load scores ${score}.`;
}
