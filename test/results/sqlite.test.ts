import { createArtifactFolder } from '../../src/results/artifacts.ts';
import { createResultStore } from '../../src/results/create-store.ts';
import { openResultStore } from '../../src/results/open-store.ts';
import { createSqliteDatabase } from '../../src/results/sqlite/database.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { testStore } from './store-suite.ts';

testStore('SQLite in a file', async (scope, clock) => {
  const store = await openResultStore({ dataDir: makeScratchFolder(scope) }, { now: () => clock.nowMs });
  scope.after(() => store.close());
  return store;
});

testStore('SQLite in memory', async (scope, clock) => {
  const store = createResultStore({
    database: createSqliteDatabase({ path: ':memory:' }),
    folder: createArtifactFolder(makeScratchFolder(scope)),
    now: () => clock.nowMs,
  });
  await store.open();
  scope.after(() => store.close());
  return store;
});
