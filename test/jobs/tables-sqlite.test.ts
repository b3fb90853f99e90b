import { join } from 'node:path';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/storage/results/sqlite/messages.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { testJobs } from './tables-suite.ts';

testJobs('SQLite in a file', async (scope, count) => {
  const path = join(makeScratchFolder(scope), 'results.sqlite');
  const databases = Array.from({ length: count }, () => createSqliteDatabase({ path, busyTimeoutMs: 5000 }));
  for (const database of databases) scope.after(() => database.close());
  return databases;
});

testJobs('SQLite that ends with the process', async (scope, count) => {
  const database = createSqliteDatabase({ path: temporaryDatabase });
  scope.after(() => database.close());
  return Array.from({ length: count }, () => database);
});
