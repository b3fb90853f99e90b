import { after } from 'node:test';
import { createPostgresDatabase } from '../../src/storage/results/postgres/database.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { testJobs } from './tables-suite.ts';

const postgres = await startOwnPostgres({ after });

testJobs('PostgreSQL', async (scope, count) => {
  const url = await postgres.createDatabase();
  const databases = Array.from({ length: count }, () => createPostgresDatabase({ url }));
  for (const database of databases) scope.after(() => database.close());
  return databases;
});
