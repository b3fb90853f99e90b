/** What every store does, whatever database is behind it. Written against the interface only. */
import { test } from 'node:test';
import type { ResultStore } from '../../src/results/store.ts';
import { noonMs } from '../support/builders/entry.ts';
import type { Scope } from '../support/start-service.ts';
import { testCache } from './suite/cache.ts';
import { testFinding } from './suite/finding.ts';
import { testKeeping } from './suite/keeping.ts';
import { testRoom } from './suite/room.ts';
import type { TestWith } from './suite/steps.ts';

export type OpenStore = (scope: Scope, clock: { nowMs: number }) => Promise<ResultStore>;

export function testStore(name: string, openStore: OpenStore): void {
  const testWith: TestWith = (what, body) => {
    test(`${name}: ${what}`, async t => {
      const clock = { nowMs: noonMs };
      await body(await openStore(t, clock), clock, t);
    });
  };
  testKeeping(testWith);
  testFinding(testWith);
  testRoom(testWith, name);
  testCache(testWith);
}
