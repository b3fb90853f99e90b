import type { MetricName } from '../../../contract/names.ts';
import { ratioOf } from '../numbers.ts';
import { isLate } from './late-answers.ts';
import { findOtherProtocol } from './protocols.ts';
import { carries, type RestFacts, type Told } from './rest-facts.ts';

/** Two paints of one page; or as far apart as a quarter of what the simulation made of it. */
const alike = { ratio: 1.5, ms: 150, share: 0.25 };
const isAlike = (one: number, other: number, simulated: number): boolean =>
  Math.abs(one - other) <= Math.max(alike.ms, alike.share * simulated) ||
  (ratioOf(one, other) ?? Number.POSITIVE_INFINITY) <= alike.ratio;

const apart = ([psi, lighthouse]: RestFacts['results'], name: MetricName): number =>
  Math.abs((psi.metrics[name].value ?? 0) - (lighthouse.metrics[name].value ?? 0));

/** The browsers saw the same, and the simulation of a slow network made different values of it. */
export function toSimulation({ facts, results, split }: RestFacts, rest: number): Told | undefined {
  const [psi, lighthouse] = facts;
  if (isLate(facts) || findOtherProtocol(psi.load, lighthouse.load)) return undefined;
  const [theirs, ours] = [psi.load.observed, lighthouse.load.observed];
  if (!theirs || !ours || psi.throttling.method !== 'simulate' || lighthouse.throttling.method !== 'simulate')
    return undefined;
  const simulated = Math.max(
    apart(results, 'first_contentful_paint'),
    apart(results, 'largest_contentful_paint'),
    apart(results, 'speed_index'),
  );
  const areAlike =
    isAlike(theirs.firstPaint, ours.firstPaint, simulated) &&
    isAlike(theirs.largestPaint, ours.largestPaint, simulated);
  // The side that painted later scores higher.
  const isReversed =
    (ours.firstPaint - theirs.firstPaint) * rest > 0 && (ours.largestPaint - theirs.largestPaint) * rest > 0;
  if (!areAlike && !isReversed) return undefined;
  if (!carries(split, ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'], rest)) return undefined;
  return {
    cause: 'simulation',
    certainty: 'observed',
    evidence: [
      { fact: 'observed_first_paint_ms', psi: Math.round(theirs.firstPaint), lighthouse: Math.round(ours.firstPaint) },
      {
        fact: 'observed_largest_paint_ms',
        psi: Math.round(theirs.largestPaint),
        lighthouse: Math.round(ours.largestPaint),
      },
    ],
    explanation: `${areAlike ? 'The observed loads differ by far less than the simulated ones' : 'The load itself was no faster on the side that scores higher'}: the largest paint was observed after ${Math.round(theirs.largestPaint)} ms on the remote side and ${Math.round(ours.largestPaint)} ms on this side. The simulation of a slow network made different values of them.`,
  };
}
