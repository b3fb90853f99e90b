import { leastPace } from '../constants.ts';
import { fact } from '../evidence.ts';
import { sayProcessors, tidy } from '../phrases.ts';
import { toScriptPace } from '../same-page/load-pair.ts';
import { findLimited } from '../side.ts';
import { isWaitMeasured } from './disturbed-run.ts';
import { carries, isToldByIndex, type RestFacts, type Told } from './rest-facts.ts';

/** Explains CPU limits, which pause work during a load. Neither the benchmark index nor the multiplier shows them. */

/** Returns the cause if the side with fewer points has the lower limit. */
export function toLimitedMachine(given: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = given.facts;
  const [theirs, ours] = [psi.processors, lighthouse.processors];
  if (theirs === null || ours === null) return undefined;
  if (findLimited(theirs, ours) !== (rest < 0 ? 'lighthouse' : 'psi')) return undefined;
  return {
    cause: 'machine',
    certainty: 'possible',
    evidence: [fact('processors', theirs, ours)],
    // The cause of the benchmark index already contains these numbers.
    explanation: isToldByIndex(given)
      ? 'CPU limits also pause work during a load, which may cost more points.'
      : `CPU limits pause work during a load, which may have made it slower: ${sayProcessors(psi, lighthouse)}.`,
  };
}

/**
 * Finds evidence of a slower side, independent of its benchmark index: all its scripts took longer by the same factor.
 */

export function toSlowerScripts(given: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = given.facts;
  const pace = toScriptPace(psi.load, lighthouse.load) ?? 1;
  // The slower side has fewer points.
  const slower = rest < 0 ? pace : 1 / pace;
  if (slower < leastPace || isToldByIndex(given) || !carries(given.split, ['total_blocking_time'], rest))
    return undefined;
  const { where } = rest < 0 ? lighthouse : psi;
  // A measured wait has its own points, so the remaining work ran without waiting, but slower.
  const isDisturbed = given.isSameMachine && !isWaitMeasured(given, rest);
  const reason = isDisturbed
    ? 'other work on the machine used the CPU'
    : given.isSameMachine
      ? 'the CPU was slower at that time'
      : 'that machine is slower, or other work used its CPU';
  return {
    cause: isDisturbed ? 'disturbed_run' : 'machine',
    certainty: 'possible',
    evidence: [fact('script_pace', 1, tidy(pace, 2))],
    explanation: `Every script took about ${tidy(slower, 1)} times as long ${where}: ${reason}.`,
  };
}
