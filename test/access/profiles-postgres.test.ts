import { after } from 'node:test';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { testProfiles } from './profiles-suite.ts';

const postgres = await startOwnPostgres({ after });

testProfiles('PostgreSQL', {
  create: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
  read: ({ DATABASE_URL: url = '' }) => postgres.dump(url),
  jobSecrets: async ({ DATABASE_URL: url = '' }) =>
    (await postgres.query(url, 'SELECT content FROM rangelight.job_secrets')).map(({ content }) => String(content)),
});
