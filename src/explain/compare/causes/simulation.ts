import type { MetricName } from '../../../contract/names.ts';
import type { LoadFacts } from '../../../measure/lhr/facts/load-facts.ts';
import { alikePaints } from '../constants.ts';
import { fact } from '../evidence.ts';
import { ratioOf } from '../phrases.ts';
import { toFilesOfBoth } from '../same-page/load-pair.ts';
import { isLate } from './late-answers.ts';
import { carries, type RestFacts, type Told } from './rest-facts.ts';

/* Compares protocols: HTTP/1.1 on one side, and a multiplexed protocol on the other. */

const names: ReadonlyMap<string | null, string> = new Map([
  ['http/1.0', 'HTTP/1.0'],
  ['http/1.1', 'HTTP/1.1'],
  ['h2', 'HTTP/2'],
  ['h3', 'HTTP/3'],
]);

const isOneByOne = (protocol: string): boolean => protocol.startsWith('http/1');

type OtherProtocol = { host: string; psi: string; lighthouse: string; files: number };

/**
 * Returns the host with the most files that used HTTP/1.1 on one side and a multiplexed protocol on the other. HTTP/2
 * and HTTP/3 count as the same, because which of them is used is random.
 */
export function findOtherProtocol(psi: LoadFacts, lighthouse: LoadFacts): OtherProtocol | undefined {
  const found = new Map<string, OtherProtocol>();
  for (const { psi: theirs, lighthouse: ours } of toFilesOfBoth(psi, lighthouse)) {
    const [one, other] = [names.get(theirs.protocol), names.get(ours.protocol)];
    if (!one || !other || isOneByOne(theirs.protocol ?? '') === isOneByOne(ours.protocol ?? '')) continue;
    const { host } = theirs;
    found.set(host, { host, psi: one, lighthouse: other, files: (found.get(host)?.files ?? 0) + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.files - a.files)[0];
}

const isAlike = (one: number, other: number, simulated: number): boolean =>
  Math.abs(one - other) <= Math.max(alikePaints.ms, alikePaints.share * simulated) ||
  (ratioOf(one, other) ?? Number.POSITIVE_INFINITY) <= alikePaints.ratio;

const apart = ([psi, lighthouse]: RestFacts['results'], name: MetricName): number =>
  Math.abs((psi.metrics[name].value ?? 0) - (lighthouse.metrics[name].value ?? 0));

/** Finds simulated values that differ although the observed ones are similar, or differ in the opposite direction. */
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
  // The side that painted later has the higher score.
  const isReversed =
    (ours.firstPaint - theirs.firstPaint) * rest > 0 && (ours.largestPaint - theirs.largestPaint) * rest > 0;
  if (!areAlike && !isReversed) return undefined;
  if (!carries(split, ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'], rest)) return undefined;
  return {
    cause: 'simulation',
    certainty: 'observed',
    evidence: [
      fact('observed_first_paint_ms', Math.round(theirs.firstPaint), Math.round(ours.firstPaint)),
      fact('observed_largest_paint_ms', Math.round(theirs.largestPaint), Math.round(ours.largestPaint)),
    ],
    explanation: `${areAlike ? 'The observed loads differ far less than the simulated ones' : 'The observed load was not faster on the side with the higher score'}: the largest paint was observed after ${Math.round(theirs.largestPaint)} ms ${psi.where} and after ${Math.round(ours.largestPaint)} ms ${lighthouse.where}. The simulation of a slow network amplified the difference.`,
  };
}
