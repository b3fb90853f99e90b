import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import type { StoreEvent } from '../../src/storage/results/fault.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { testStore } from './store-suite.ts';

const postgres = await startOwnPostgres({ after });

async function openStore(scope: Scope, databaseUrl: string, options: Parameters<typeof openResultStore>[1] = {}) {
  const store = await openResultStore({ databaseUrl, dataDir: makeScratchFolder(scope) }, options);
  scope.after(() => store.close());
  return store;
}

testStore('PostgreSQL', async (scope, clock) => {
  const url = await postgres.createDatabase();
  return () => openStore(scope, url, { now: () => clock.nowMs });
});

test('two services that start at once share one database', async t => {
  const url = await postgres.createDatabase();
  const stores = await Promise.all([1, 2, 3, 4].map(() => openStore(t, url)));
  const entries = stores.map(() => buildEntry());
  const kept = await Promise.all(stores.map((store, at) => store.keep(entries[at] ?? buildEntry())));
  assert.ok(kept.every(one => one.kept));
  for (const store of stores) assert.equal((await store.list({})).results.length, 4);
});

test('a database of a newer version stops the start, and is not changed', async t => {
  const url = await postgres.createDatabase();
  await (await openStore(t, url)).close();
  await postgres.query(url, "UPDATE rangelight.schema_state SET value = 99 WHERE name = 'version'");
  await assert.rejects(openStore(t, url), {
    code: 'newer_database',
    message: /has version 99; this Rangelight supports versions up to \d+\. .*DATABASE_URL/,
  });
  assert.deepEqual(await postgres.query(url, 'SELECT value FROM rangelight.schema_state'), [{ value: 99 }]);
});

test('a database of the next version is used, because instances are upgraded one after the other', async t => {
  const url = await postgres.createDatabase();
  await (await openStore(t, url)).close();
  await postgres.query(url, "UPDATE rangelight.schema_state SET value = value + 1 WHERE name = 'version'");
  const store = await openStore(t, url);
  assert.deepEqual(await store.keep(buildEntry()), { kept: true });
  await postgres.query(url, "UPDATE rangelight.schema_state SET value = value + 1 WHERE name = 'version'");
  await assert.rejects(openStore(t, url), { code: 'newer_database' });
});

test('a message names the database and no password', async t => {
  const events: StoreEvent[] = [];
  const store = await openStore(t, 'postgresql://me:hunter2-secret@127.0.0.1:1/results', {
    onEvent: event => events.push(event),
  });
  const { location, isReadable, isWritable } = store.status();
  assert.deepEqual([location, isReadable, isWritable], ['127.0.0.1:1/results', false, false]);
  assert.equal(events.length, 1);
  assert.match(JSON.stringify(events), /127\.0\.0\.1:1\/results/);
  assert.doesNotMatch(JSON.stringify([events, store.status()]), /hunter2/);
});

test('entries wait while the server is down, and are written when it is back', async t => {
  const url = await postgres.createDatabase();
  const schedule = createOwnSchedule();
  const events: string[] = [];
  const store = await openStore(t, url, { schedule: schedule.schedule, onEvent: ({ event }) => events.push(event) });
  const [before, during, later] = [buildEntry(), buildEntry(), buildEntry()];
  await store.keep(before);
  await postgres.stop();
  for (const entry of [during, later]) {
    const kept = await store.keep(entry);
    assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'unavailable');
  }
  await assert.rejects(store.get(before.id), { code: 'unavailable' });
  await schedule.runNext();
  assert.deepEqual([store.status().waiting, store.status().isWritable, store.status().isReadable], [2, false, false]);
  await postgres.start();
  await schedule.runUntil(() => store.status().isReadable && store.status().waiting === 0);
  for (const { id } of [before, during, later]) assert.equal((await store.get(id))?.id, id);
  assert.deepEqual([store.status().isWritable, store.status().entries], [true, 3]);
  assert.deepEqual(events, ['fault', 'recovered']);
});

test('entries wait for tables that another client has locked, and answers do not', async t => {
  const url = await postgres.createDatabase();
  const schedule = createOwnSchedule();
  const store = await openStore(t, url, { schedule: schedule.schedule, busyTimeoutMs: 50 });
  const entry = buildEntry();
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE rangelight.results IN ACCESS EXCLUSIVE MODE');
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'locked');
  await other.query('ROLLBACK');
  await other.end();
  await schedule.runUntil(() => store.status().waiting === 0 && store.status().isWritable);
  assert.equal((await store.get(entry.id))?.id, entry.id);
});

test('tables that are dropped at run time are created again', async t => {
  const url = await postgres.createDatabase();
  const schedule = createOwnSchedule();
  const store = await openStore(t, url, { schedule: schedule.schedule });
  await postgres.query(url, 'DROP SCHEMA rangelight CASCADE');
  const entry = buildEntry();
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting, JSON.stringify(kept));
  await schedule.runUntil(() => store.status().isWritable && store.status().waiting === 0);
  assert.equal((await store.get(entry.id))?.id, entry.id);
});

test('a database without write permission is reported as read-only, and can be read', async t => {
  const url = await postgres.createDatabase();
  const entry = buildEntry();
  const first = await openStore(t, url);
  await first.keep(entry);
  const [{ name } = {}] = await postgres.query(url, 'SELECT current_database() AS name');
  await postgres.query(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await first.close();
  const schedule = createOwnSchedule();
  const store = await openStore(t, url, { schedule: schedule.schedule });
  const kept = await store.keep(buildEntry());
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'read_only');
  assert.equal((await store.get(entry.id))?.id, entry.id);
  assert.equal(store.status().isReadable, true);
});
