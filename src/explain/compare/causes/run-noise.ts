/** Finds noise that the local runs show: the PSI score is in their range, or the rest is no larger than that range. */

import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { leastWorkMs, sameWorkRatio } from '../constants.ts';
import { fact } from '../evidence.ts';
import { countPoints, ratioOf } from '../phrases.ts';
import { missesRunsBy, toFloor } from '../points/noise.ts';
import { isOtherWork } from '../same-page/load-pair.ts';
import { carries, isPaid, type RestFacts, type Told } from './rest-facts.ts';

export const seesNoise = (given: RestFacts, rest: number): Told | undefined => {
  const { noise } = given;
  const own = noise?.scores.performance;
  const beyond = missesRunsBy(noise);
  if (own && beyond !== undefined && !isPaid(given, rest))
    return {
      cause: 'run_noise',
      certainty: 'observed',
      explanation: `The score ${given.facts[0].where}, ${own.psi}, is ${beyond > 0 ? `only ${countPoints(beyond)} beyond` : 'inside'} the range of the local runs: ${own.min} to ${own.max}.`,
    };
  if (own && Math.abs(rest) <= toFloor(noise))
    return {
      cause: 'run_noise',
      certainty: 'observed',
      explanation: `The local runs themselves differ by ${countPoints(own.spread)}.`,
    };
  return undefined;
};

const workOf = ({ load }: SideFacts): number | null =>
  load.files &&
  [...load.files.values()].reduce(
    (sum, { scriptMs }) => sum + scriptMs,
    load.documentScriptMs + (load.namelessScriptMs ?? 0),
  );

const isDrawnOtherwise = ({ load: theirs }: SideFacts, { load: ours }: SideFacts): boolean =>
  theirs.drawingMs !== null &&
  ours.drawingMs !== null &&
  isOtherWork(theirs.drawingMs, ours.drawingMs, {
    speedRatio: 1,
    limited: undefined,
    waitedMs: { psi: 0, lighthouse: 0 },
  });

/**
 * Finds noise in blocking time: the same scripts ran for a similar time, but only work after the first paint counts.
 */
export function toSameWork({ facts: [psi, lighthouse], split }: RestFacts, rest: number): Told | undefined {
  const [theirs, ours] = [workOf(psi), workOf(lighthouse)];
  if (theirs === null || ours === null || Math.min(theirs, ours) < leastWorkMs) return undefined;
  if (isDrawnOtherwise(psi, lighthouse)) return undefined;
  if ((ratioOf(theirs, ours) ?? 1) > sameWorkRatio || !carries(split, ['total_blocking_time'], rest)) return undefined;
  return {
    cause: 'run_noise',
    certainty: 'observed',
    evidence: [fact('all_script_ms', Math.round(theirs), Math.round(ours))],
    explanation: `The same scripts ran about as long: ${Math.round(theirs)} ms ${psi.where} and ${Math.round(ours)} ms ${lighthouse.where}. Only the part after the first paint counts as blocking time.`,
  };
}
