/** The common behaviour of all stores, tested through the interface only. */
import { test } from 'node:test';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { noonMs } from '../support/builders/entry.ts';
import type { Scope } from '../support/start-service.ts';
import { testCache } from './suite/cache.ts';
import { testFinding } from './suite/finding.ts';
import { testKeeping } from './suite/keeping.ts';
import { testRoom } from './suite/room.ts';
import { testSites } from './suite/sites.ts';
import type { TestWith } from './suite/steps.ts';

/** @returns a function that opens the same database again, as another process does */
export type OpenStore = (scope: Scope, clock: { nowMs: number }) => Promise<() => Promise<ResultStore>>;

export function testStore(name: string, openStore: OpenStore): void {
  const testWith: TestWith = (what, body) => {
    test(`${name}: ${what}`, async t => {
      const clock = { nowMs: noonMs };
      const open = await openStore(t, clock);
      await body(await open(), clock, t, open);
    });
  };
  testKeeping(testWith);
  testFinding(testWith);
  testSites(testWith);
  testRoom(testWith, name);
  testCache(testWith);
}
