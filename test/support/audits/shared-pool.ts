/**
 * One real pool shared by the services of this process that need no pool of their own: its worker loads Lighthouse
 * once, and a first audit takes twice as long as the next. It may open any page of this machine, including a service's
 * own port.
 */
import { after } from 'node:test';
import type { LocalAnalyser } from '../../../src/measure/lighthouse/pool.ts';
import { createOwnPool } from './create-own-pool.ts';

let pool: LocalAnalyser | undefined;
after(() => pool?.close(0));

/** Returns the pool with a `close` that leaves it open. */
export function sharedPool(): LocalAnalyser {
  pool ??= createOwnPool({ queueLimit: 50 });
  return { ...pool, close: async () => {} };
}
