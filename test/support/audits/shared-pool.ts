/**
 * One real pool for the services of this process that need nothing of their own in it: its worker loads Lighthouse once,
 * and its first audit takes twice the time of the next. It may open any page of this machine, and keeps the port of no
 * service from being audited.
 */
import { after } from 'node:test';
import type { LocalAnalyser } from '../../../src/measure/lighthouse/pool.ts';
import { createOwnPool } from './create-own-pool.ts';

let pool: LocalAnalyser | undefined;
after(() => pool?.close(0));

/** A service that closes leaves it open. */
export function sharedPool(): LocalAnalyser {
  pool ??= createOwnPool({ queueLimit: 50 });
  return { ...pool, close: async () => {} };
}
