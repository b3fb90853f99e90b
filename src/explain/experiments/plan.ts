/** Plans an experiment: the order of its loads, the number of pairs at each look, and the effect that it can show. */

import { medianOf, toSorted } from '../../presentation/values.ts';
import { type Random, shuffle, toRandom } from '../statistics/random.ts';
import { toFewestPairs, toFlipInterval, toPValue, toSubsetMeans } from './sign-flip.ts';

/** Probability of any verdict if no variant changes anything. Each of the two looks spends half of it. */
const familyLevel = 0.02;
const lookCount = 2;
export const lookLevel = familyLevel / lookCount;
/** Probability of `no_difference` for a variant whose effect is the smallest that matters. */
const sameLevel = 0.1;
export const lookSameLevel = sameLevel / lookCount;

const firstLookPairs = 9;
const furtherPairs = 4;

/** Number of arms before the variants: the base, and the base again (the A/A arm). */
export const controlArms = 2;

/** With more than two variants the first look is later: nine pairs cannot reach the corrected level. */
export function toPlan(variants: number) {
  const first = Math.max(firstLookPairs, toFewestPairs(lookLevel / variants));
  const last = first + furtherPairs;
  // A block has one load for each arm; there is one more than the last look, for one with a failed load.
  return { looks: [first, last] as const, blocks: last + 1, arms: controlArms + variants };
}

/** Returns the arm of each load: each block has every arm once, in random order. The same id gives the same order. */
export function toOrder(
  experimentId: string,
  { blocks, arms }: Pick<ReturnType<typeof toPlan>, 'blocks' | 'arms'>,
): number[] {
  const random = toRandom([...experimentId].map(character => character.charCodeAt(0)));
  return Array.from({ length: blocks }, () =>
    shuffle(
      Array.from({ length: arms }, (_, arm) => arm),
      random,
    ),
  ).flat();
}

/** Higher than stated: with the variation of ten to twenty values, about nine of ten experiments find the effect. */
const drawnPower = 0.95;
const repeats = 200;
/** With fewer values, the effect is underestimated: of three, the stated one is found in half of the experiments. */
const fewestValues = 10;

/** Returns the difference of two drawn values. Draws vary less than the values' source, so it is widened. */
const drawPair = (values: readonly number[], random: Random): number => {
  const draw = () => values[Math.floor(random() * values.length)] as number;
  return (draw() - draw()) * Math.sqrt(values.length / (values.length - 1));
};

/**
 * Returns the effect that the first look shows in about nine of ten experiments (80 to 96 % of simulated ones), estimated
 * from experiments with loads drawn from earlier values of the page. It is at least the smallest effect that matters.
 * @returns undefined for fewer than ten values
 */
export function toShownEffect(
  values: readonly number[],
  { variants, smallest }: { variants: number; smallest: number },
): number | undefined {
  if (values.length < fewestValues) return undefined;
  const random = toRandom(values);
  const { looks } = toPlan(variants);
  const experiments = Array.from({ length: repeats }, () =>
    Array.from({ length: looks[0] }, () => drawPair(values, random)),
  );
  // The lower end of an interval, the mean and the median move with the effect. A verdict needs an interval above zero,
  // and a mean and a median of at least the smallest effect.
  const needed = experiments
    .map(pairs => {
      const found = toFlipInterval(toSubsetMeans(pairs), lookLevel / variants);
      const mean = pairs.reduce((sum, pair) => sum + pair, 0) / pairs.length;
      return Math.max(-(found?.interval[0] ?? 0), smallest - mean, smallest - medianOf(toSorted(pairs)));
    })
    .sort((a, b) => a - b);
  return Math.max(smallest, needed[Math.ceil(drawnPower * repeats) - 1] as number);
}

/** Returns whether pairs of the same page differ at a look: if so, the machine or the page changed in the meantime. */
export const doControlsDiffer = (pairs: readonly number[]): boolean =>
  pairs.length > 0 && toPValue(toSubsetMeans(pairs)) <= lookLevel;
