/** Whose callback is sent next, over both databases. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { listDueDeliveries } from '../../src/jobs/sql/delivery-rows.ts';
import { createPostgresDatabase } from '../../src/results/postgres/database.ts';
import type { SqlDatabase } from '../../src/results/sql/database.ts';
import { createSqliteDatabase } from '../../src/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/results/sqlite/messages.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { lookUntil, openInstance } from './instance.ts';
import { noonMs, orderOf } from './orders.ts';

const postgres = await startOwnPostgres({ after });

/** Four jobs of one client end, then one of another. Without a key their callbacks wait. */
async function assertTurns(t: TestContext, database: SqlDatabase): Promise<void> {
  const clock = { nowMs: noonMs };
  const instance = openInstance(database, clock, { endsAtOnce: true });
  t.after(async () => {
    await instance.jobs.close();
    await database.close();
  });
  for (const client of ['many', 'many', 'many', 'many', 'single']) {
    const callback = `http://127.0.0.1/${client}`;
    const { job } = await instance.jobs.submit({ ...orderOf('https://example.com/'), client, callback });
    await lookUntil(instance, job.id, 'succeeded');
    clock.nowMs += 1000;
  }
  const pathsOf = async (limit: number) =>
    (await listDueDeliveries(database, clock.nowMs, limit)).map(({ url }) => new URL(url).pathname);
  assert.deepEqual(await pathsOf(3), ['/many', '/single', '/many']);
  assert.equal((await pathsOf(10)).length, 5);
}

test('clients take turns for their callbacks: SQLite', t =>
  assertTurns(t, createSqliteDatabase({ path: temporaryDatabase })));

test('clients take turns for their callbacks: PostgreSQL', async t =>
  assertTurns(t, createPostgresDatabase({ url: await postgres.createDatabase() })));
