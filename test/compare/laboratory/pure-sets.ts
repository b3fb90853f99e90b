import { eighthSet } from './eighth-set.ts';
import { eleventhSet } from './eleventh-set.ts';
import { fifthSet } from './fifth-set.ts';
import { fourthSet } from './fourth-set.ts';
import { ninthSet } from './ninth-set.ts';
import { type PurePlant, purePlants } from './pure-plants.ts';
import { secondSet } from './second-set.ts';
import { seventhSet } from './seventh-set.ts';
import { sixthSet } from './sixth-set.ts';
import { tenthSet } from './tenth-set.ts';
import { thirdSet } from './third-set.ts';
import { thirteenthSet } from './thirteenth-set.ts';
import { twelfthSet } from './twelfth-set.ts';

/** All plants without a browser: those that the rules were made with, then each set that was tried later. */
export const pureSets: Readonly<Record<string, readonly PurePlant[]>> = {
  first: purePlants,
  second: secondSet,
  third: thirdSet,
  fourth: fourthSet,
  fifth: fifthSet,
  sixth: sixthSet,
  seventh: seventhSet,
  eighth: eighthSet,
  ninth: ninthSet,
  tenth: tenthSet,
  eleventh: eleventhSet,
  twelfth: twelfthSet,
  thirteenth: thirteenthSet,
};
