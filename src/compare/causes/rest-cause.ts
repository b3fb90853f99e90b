/** What is left of the difference of the scores when the settings and the page have their points. */
import type { Cause } from '../../contract/analysis/comparison.ts';
import { tidy } from '../numbers.ts';
import { countPoints } from '../phrases.ts';
import { leastPoints, toFloor, usualNoisePoints } from '../points/noise.ts';
import { toDisturbance, toLatePaints } from './disturbed-run.ts';
import { toLimitedMachine } from './limited-machine.ts';
import { hasOtherVersions } from './other-causes.ts';
import type { RestFacts, Told } from './rest-facts.ts';
import { seesNoise, toSameWork } from './run-noise.ts';
import { toSimulation } from './simulation.ts';
import { toSlowerScripts } from './slower-scripts.ts';

const advise = ({ results: [, lighthouse] }: RestFacts): string =>
  // No advice for a client that already asked for several runs and got one.
  lighthouse.runs ? '' : ': with runs=5 that is measured';

/** What may be another page may be the reason of that, too; and so may another version, which simulates in its own way. */
const mayBeOther = ({ facts }: RestFacts, seen: Told, page: Cause | undefined): boolean =>
  page ? seen.cause !== 'disturbed_run' : seen.cause === 'simulation' && hasOtherVersions(facts);

/** Under a limit the work of a load is interrupted always, so that no other work is needed for it. */
const toSlower = (given: RestFacts, rest: number): Told | undefined => {
  const limited = toLimitedMachine(given, rest);
  if (limited) return toSimulation(given, rest) ?? limited;
  return (
    toDisturbance(given, rest) ?? toSlowerScripts(given, rest) ?? toSimulation(given, rest) ?? toLatePaints(given, rest)
  );
};

function judge(given: RestFacts, rest: number, page: Cause | undefined): Told {
  const measured = seesNoise(given, rest);
  if (measured) return measured;
  const own = given.noise?.scores.performance;
  const difference = given.split?.difference ?? rest;
  const isApart = Math.abs(difference) > toFloor(given.noise);
  // So little is noise, unless a limit may be the reason of it and of all that is apart.
  if (!own && Math.abs(rest) <= usualNoisePoints && !(isApart && toLimitedMachine(given, rest)))
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `Single runs of one page often differ by up to ${usualNoisePoints} points${advise(given)}.`,
    };
  if (!isApart)
    return {
      cause: 'run_noise',
      certainty: 'possible',
      explanation: `${Math.abs(difference - rest) < leastPoints ? 'It is no more than noise' : 'It cancels out with what the settings were computed to cost'}: the scores are ${difference === 0 ? 'the same' : `only ${countPoints(Math.abs(difference))} apart`}.`,
    };
  const seen = toSameWork(given, rest) ?? toSlower(given, rest);
  if (seen) return mayBeOther(given, seen, page) ? { ...seen, certainty: 'possible' } : seen;
  return {
    cause: 'unexplained',
    certainty: 'observed',
    explanation: own
      ? `No setting explains it, and the local runs lie only ${countPoints(own.spread)} apart.`
      : `No setting explains it. The page may vary from load to load${advise(given)}.`,
  };
}

/** What no setting explains: noise as far as noise goes, then what was seen of it; undefined where nothing is left. */
export function toRestCause(given: RestFacts, rest: number, page: Cause | undefined): Cause | undefined {
  if (Math.abs(rest) < leastPoints) return undefined;
  const toCause = ({ evidence = [], ...told }: Told): Cause => ({
    ...{ category: 'performance', points: tidy(rest, 1), evidence },
    ...told,
  });
  if (page === undefined || page.certainty === 'possible') return toCause(judge(given, rest, page));
  const noise = seesNoise(given, rest);
  if (noise) return toCause(noise);
  return toCause({
    cause: 'unexplained',
    certainty: 'possible',
    explanation:
      page.certainty === 'computed'
        ? 'The rest. The page may differ in more than could be simulated.'
        : 'The rest. How much of it the different page costs was not computed.',
  });
}
