/** Plants of yet other kinds, written after the fifth set was mended and before any of them was tried. */
import type { PurePlant } from './pure-plants.ts';
import { otherDifferences } from './sixth-set/differences.ts';
import { moreNothings } from './sixth-set/nothing.ts';

export const sixthSet: readonly PurePlant[] = [...otherDifferences, ...moreNothings];
