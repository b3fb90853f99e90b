import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { ask } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { testProfiles } from './profiles-suite.ts';

const postgres = await startOwnPostgres({ after });

testProfiles('PostgreSQL', {
  create: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
  read: ({ DATABASE_URL: url = '' }) => postgres.dump(url),
  jobSecrets: async ({ DATABASE_URL: url = '' }) =>
    (await postgres.query(url, 'SELECT content FROM rangelight.job_secrets')).map(({ content }) => String(content)),
});

test('a wrong key is named in the log when a database is back that was unavailable at the start', async t => {
  const newKey = () => randomBytes(32).toString('base64');
  const key = newKey();
  const settings = { DATABASE_URL: await postgres.createDatabase(), TARGETS: 'any', API_KEYS: key };
  const before = await startService(t, { ...settings, ACCESS_KEY: newKey() });
  const stored = await ask(before, '/access/admin', {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ origins: ['https://shop.example'], headers: { 'x-token': key } }),
  });
  assert.equal(stored.status, 200, stored.text);
  await before.close(0);
  await postgres.stop();
  const { log, text } = captureLog();
  await startService(t, { ...settings, ACCESS_KEY: newKey() }, undefined, { log });
  await postgres.start();
  await until(async () => text().includes('ACCESS_KEY has none of the keys'));
});
