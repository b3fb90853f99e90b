/** Plants by an author who tests such services from outside, with metrics that follow Lighthouse's curves. */
import type { PurePlant } from './pure-plants.ts';
import { contentByVisitor } from './seventh-set/content-by-visitor.ts';
import { machinesAndSeveral } from './seventh-set/machines-and-several.ts';
import { nothingAtAll } from './seventh-set/nothing.ts';
import { onTheWay } from './seventh-set/on-the-way.ts';

export const seventhSet: readonly PurePlant[] = [
  ...contentByVisitor,
  ...onTheWay,
  ...machinesAndSeveral,
  ...nothingAtAll,
];
