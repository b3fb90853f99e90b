/**
 * Plants by an author who had not read the rules: differences between a run of Google and one behind a firewall in
 * practice.
 */

import { delivery } from './fifth-set/delivery.ts';
import { machinesAndSettings } from './fifth-set/machines-and-settings.ts';
import { nothings } from './fifth-set/nothing.ts';
import { otherCategories } from './fifth-set/other-categories.ts';
import { walls } from './fifth-set/walls.ts';
import type { PurePlant } from './pure-plants.ts';

export const fifthSet: readonly PurePlant[] = [
  ...walls,
  ...delivery,
  ...machinesAndSettings,
  ...otherCategories,
  ...nothings,
];
