/** The order in which jobs and callbacks of several clients get their turn, over both databases. */

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { toPublished } from '../../src/jobs/job-policy.ts';
import { listDueDeliveries, listUnfinished } from '../../src/jobs/statements.ts';
import type { SqlDatabase } from '../../src/storage/database/sql.ts';
import { createPostgresDatabase } from '../../src/storage/results/postgres/database.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/storage/results/sqlite/messages.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { lookUntil, openInstance } from './instance.ts';
import { noonMs, orderOf } from './orders.ts';

const postgres = await startOwnPostgres({ after });

const clients = ['many', 'many', 'many', 'many', 'single'];

/** Several jobs of one client wait, and one of another. */
async function assertJobTurns(t: TestContext, database: SqlDatabase): Promise<void> {
  const clock = { nowMs: noonMs };
  const { jobs } = openInstance(database, clock);
  t.after(async () => {
    await jobs.close();
    await database.close();
  });
  for (const client of clients) {
    await jobs.submit({ ...orderOf(`https://example.com/${clock.nowMs}`), client });
    clock.nowMs += 1;
  }
  const listed = async (limit: number) =>
    (await listUnfinished(database, takes, limit)).map(({ client, createdAtMs }) => [client, createdAtMs - noonMs]);
  assert.deepEqual(await listed(3), [
    ['many', 0],
    ['single', 4],
    ['many', 1],
  ]);
  assert.equal((await listed(10)).length, 5);
}

/** Several jobs of one client end, then one of another. Without a signing key their callbacks wait. */
async function assertCallbackTurns(t: TestContext, database: SqlDatabase): Promise<void> {
  const clock = { nowMs: noonMs };
  const instance = openInstance(database, clock, { endsAtOnce: true });
  t.after(async () => {
    await instance.jobs.close();
    await database.close();
  });
  for (const client of clients) {
    const callback = `http://127.0.0.1/${client}`;
    const { job } = await instance.jobs.submit({ ...orderOf('https://example.com/'), client, callback });
    await lookUntil(instance, job.id, 'succeeded');
    clock.nowMs += 1000;
  }
  const listDue = (limit: number, running: readonly string[] = []) =>
    listDueDeliveries(database, takes, { nowMs: clock.nowMs, mostWaitMs: 1e12, running }, limit);
  const pathsOf = async (...asked: Parameters<typeof listDue>) =>
    (await listDue(...asked)).map(({ url }) => new URL(url).pathname);
  assert.deepEqual(await pathsOf(3), ['/many', '/single', '/many']);
  assert.equal((await pathsOf(10)).length, 5);
  // While one of a client is being sent, the next turn is that of another.
  const [first] = await listDue(1);
  assert.deepEqual(await pathsOf(2, [first?.id ?? '']), ['/single', '/many']);
}

const takes = toPublished({ targets: 'any', analyser: 'embedded', clients: null, audits: true });

const engines: [string, () => Promise<SqlDatabase>][] = [
  ['SQLite', async () => createSqliteDatabase({ path: temporaryDatabase })],
  ['PostgreSQL', async () => createPostgresDatabase({ url: await postgres.createDatabase() })],
];

for (const [engine, open] of engines) {
  test(`${engine}: the jobs of one client hide no job of another`, async t => assertJobTurns(t, await open()));
  test(`${engine}: clients take turns for their callbacks`, async t => assertCallbackTurns(t, await open()));
}
