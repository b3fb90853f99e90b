import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AnalysisError } from '../../src/errors.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { openInstance } from './fleet.ts';

const postgres = await startOwnPostgres({ after });

test('an audit asked of a machine without a browser runs on another one', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const events: unknown[] = [];
  const asked = api.ask('https://page.test/1', { client: 'me', onProgress: progress => events.push(progress) });
  const [audit] = await worker.pool.audits.waitFor(1);
  assert.equal(audit?.request.url, 'https://page.test/1');
  audit?.finish();
  const { value } = await asked;
  assert.deepEqual(
    [value.url, value.attempt, value.conditions.machineId],
    ['https://page.test/1', 1, '0123456789abcdef'],
  );
  assert.deepEqual(
    events.filter(event => (event as { event: string }).event !== 'progress'),
    [{ event: 'started' }],
  );
  assert.deepEqual(await postgres.query(url, 'SELECT * FROM rangelight_fleet.audits'), []);
});

test('a failure comes out as it went in', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const api = await openInstance(t, url, { role: 'api' });
  const asked = api.ask();
  const [audit] = await worker.pool.audits.waitFor(1);
  audit?.finish(new AnalysisError('page_error', 'The page answered with status 503.', { pageStatus: 503 }));
  await assert.rejects(asked, { code: 'page_error', pageStatus: 503, message: 'The page answered with status 503.' });
});
