import { leastPace } from '../constants.ts';
import { fact } from '../evidence.ts';
import { sayProcessors, tidy } from '../phrases.ts';
import { toScriptPace } from '../same-page/load-pair.ts';
import { findLimited } from '../sides/side.ts';
import { isWaitMeasured } from './disturbed-run.ts';
import { carries, isToldByIndex, type RestFacts, type Told } from './rest-facts.ts';

/** A processor limit interrupts the work of a load; neither the benchmark index nor the multiplier shows it. */

/** Where the side with fewer points is the one that may use less. */
export function toLimitedMachine(given: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = given.facts;
  const [theirs, ours] = [psi.processors, lighthouse.processors];
  if (theirs === null || ours === null) return undefined;
  if (findLimited(theirs, ours) !== (rest < 0 ? 'lighthouse' : 'psi')) return undefined;
  return {
    cause: 'machine',
    certainty: 'possible',
    evidence: [fact('processors', theirs, ours)],
    // Who tells of the index has told the numbers.
    explanation: isToldByIndex(given)
      ? 'CPU limits also pause work during a load, which may cost more points.'
      : `CPU limits pause work during a load, which may have made it slower: ${sayProcessors(psi, lighthouse)}.`,
  };
}

/** Evidence of a slower side, whatever its benchmark index: all its scripts took longer by the same factor. */

export function toSlowerScripts(given: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = given.facts;
  const pace = toScriptPace(psi.load, lighthouse.load) ?? 1;
  // The slower side is the one with fewer points.
  const slower = rest < 0 ? pace : 1 / pace;
  if (slower < leastPace || isToldByIndex(given) || !carries(given.split, ['total_blocking_time'], rest))
    return undefined;
  const { where } = rest < 0 ? lighthouse : psi;
  // A wait that was measured has its own points: what is left ran, and ran slower.
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
