import { join } from 'node:path';
import { test } from 'node:test';
import { createArtifactFolder } from '../../src/storage/results/artifacts.ts';
import { createResultStore } from '../../src/storage/results/create-store.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { testStore } from './store-suite.ts';

testStore('SQLite in a file', async (scope, clock) => {
  const dataDir = makeScratchFolder(scope);
  return async () => {
    const store = await openResultStore({ dataDir }, { now: () => clock.nowMs });
    scope.after(() => store.close());
    return store;
  };
});

testStore('SQLite in memory', async (scope, clock) => {
  const database = createSqliteDatabase({ path: ':memory:' });
  const folder = createArtifactFolder(makeScratchFolder(scope));
  scope.after(() => database.close());
  return async () => {
    const store = createResultStore({ database, folder, now: () => clock.nowMs });
    await store.open();
    return store;
  };
});

test('services that open a new file at the same time wait for each other', async t => {
  for (let file = 0; file < 20; file += 1) {
    const path = join(makeScratchFolder(t), 'results.sqlite');
    const databases = Array.from({ length: 4 }, () => createSqliteDatabase({ path, busyTimeoutMs: 60_000 }));
    await Promise.all(databases.map(database => database.open()));
    await Promise.all(databases.map(database => database.close()));
  }
});
