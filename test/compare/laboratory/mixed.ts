/** Differences combined with something that is not a difference: the first cause must stay the same. */
import { comparePlant, isStatement, type PurePlant } from './compare-plant.ts';

const isNothing = ({ planted }: PurePlant): boolean => planted.startsWith('nothing');

/** What is in the loads themselves, and not around them. */
const isPlain = ({ others, simulated, again, strategy, environment, analyser, cached }: PurePlant): boolean =>
  ![others, simulated, again, strategy, environment, analyser, cached].some(field => field !== undefined);

export type Mixed = { name: string; isRight: boolean; verdict: string };

function compareMixed(plant: PurePlant, nothing: PurePlant): Mixed {
  const { causes, explanation: verdict } = comparePlant({
    ...plant,
    plant: drafts => {
      nothing.plant(drafts);
      plant.plant(drafts);
    },
  });
  const isFirst = [plant.first].flat().some(cause => (cause ? causes[0]?.cause === cause : !causes.some(isStatement)));
  return { name: `${plant.name}, and ${nothing.name}`, isRight: isFirst && !plant.never?.test(verdict), verdict };
}

/** One of so many pairs, evenly over both. */
const everyPair = 14;

export function mixPlants(all: readonly PurePlant[]): Mixed[] {
  const nothings = all.filter(plant => isNothing(plant) && isPlain(plant));
  const differences = all.filter(plant => !isNothing(plant) && !plant.others);
  return differences.flatMap((plant, at) =>
    nothings.flatMap((nothing, other) =>
      (3 * at + 5 * other) % everyPair === 0 ? [compareMixed(plant, nothing)] : [],
    ),
  );
}
