/** Plants of further kinds, written after the fifth set's gaps were fixed and before any was tried. */
import type { PurePlant } from './pure-plants.ts';
import { otherDifferences } from './sixth-set/differences.ts';
import { moreNothings } from './sixth-set/nothing.ts';

export const sixthSet: readonly PurePlant[] = [...otherDifferences, ...moreNothings];
