/** What a limit of processors does to a load: its work is interrupted, which neither an index nor a multiplier tells. */
import { fact } from '../evidence.ts';
import { sayProcessors } from '../phrases.ts';
import { findLimited } from '../sides/side.ts';
import { isToldByIndex, type RestFacts, type Told } from './rest-facts.ts';

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
