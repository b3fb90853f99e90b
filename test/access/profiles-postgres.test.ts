import { after } from 'node:test';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { testProfiles } from './profiles-suite.ts';

const postgres = await startOwnPostgres({ after });
const schemas = "('rangelight', 'rangelight_fleet')";

testProfiles('PostgreSQL', {
  create: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
  async read({ DATABASE_URL: url = '' }) {
    const tables = await postgres.query(
      url,
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname IN ${schemas}`,
    );
    const rows = await Promise.all(tables.map(({ name }) => postgres.query(url, `SELECT * FROM ${name}`)));
    return Buffer.from(JSON.stringify(rows));
  },
  jobSecrets: async ({ DATABASE_URL: url = '' }) =>
    (await postgres.query(url, 'SELECT content FROM rangelight.job_secrets')).map(({ content }) => String(content)),
});
