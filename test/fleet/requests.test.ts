import { after } from 'node:test';
import { createResultCache } from '../../src/storage/cache/result-cache.ts';
import { createMemoryStore } from '../../src/storage/cache/store.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { openInstances } from './open-shared.ts';
import { testRequests } from './request-suite.ts';

const postgres = await startOwnPostgres({ after });

testRequests('one instance', async (_scope, { ttlMs = 60_000 } = {}) => {
  const instance = { cache: createResultCache(createMemoryStore(1_000_000), { ttlMs, staleMs: 0 }) };
  return [instance, instance];
});

testRequests('two instances', async (scope, settings) => {
  const [one, two] = await openInstances(scope, await postgres.createDatabase(), 2, settings);
  if (!one || !two) throw new Error('two were opened');
  return [one, two];
});
