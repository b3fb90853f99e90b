/** A database file of an earlier version. Its steps run at the start, forwards only, all of them or none. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { databaseFile, openResultStore } from '../../src/results/open-store.ts';
import { sqliteMigrations } from '../../src/results/sqlite/migrations.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';

function withFile<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const readVersion = (path: string) =>
  withFile(path, database => database.prepare('PRAGMA user_version').get()?.user_version);
const tablesOf = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }) => String(name));

function firstTables(): string[] {
  return withFile(':memory:', database => {
    database.exec(sqliteMigrations[0] ?? '');
    return tablesOf(database);
  });
}

/** What the first version left: its tables, with these entries. */
async function makeFirstVersion(scope: Scope, entries: readonly ReturnType<typeof buildEntry>[]) {
  const dataDir = makeScratchFolder(scope);
  const path = join(dataDir, databaseFile);
  const store = await openResultStore({ dataDir });
  for (const entry of entries) assert.deepEqual(await store.keep(entry), { kept: true });
  await store.close();
  const first = firstTables();
  withFile(path, database => {
    for (const name of tablesOf(database)) if (!first.includes(name)) database.exec(`DROP TABLE ${name}`);
    database.exec('PRAGMA user_version = 1');
  });
  return { dataDir, path };
}

test('a database of the first version is brought up to date, with all that it holds', async t => {
  const entries = Array.from({ length: 20 }, () => buildEntry());
  const { dataDir, path } = await makeFirstVersion(t, entries);
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  assert.equal(store.status().entries, 20);
  for (const { full, ...entry } of entries) {
    assert.deepEqual(await store.get(entry.id), entry);
    assert.deepEqual([...((await store.full(entry.id))?.bytes ?? [])], [...(full?.bytes ?? [])]);
  }
  assert.deepEqual(await store.keep(buildEntry()), { kept: true });
  assert.equal(readVersion(path), sqliteMigrations.length);
});

test('a step that fails leaves the database as it was, and is taken once its cause is gone', async t => {
  const entry = buildEntry();
  const { dataDir, path } = await makeFirstVersion(t, [entry]);
  // The last table that the second step makes.
  withFile(path, database => database.exec('CREATE TABLE deliveries (id TEXT)'));
  const failed = await openResultStore({ dataDir });
  await failed.close();
  assert.equal(readVersion(path), 1);
  assert.deepEqual(withFile(path, tablesOf), [...firstTables(), 'deliveries'].sort());
  withFile(path, database => database.exec('DROP TABLE deliveries'));
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  assert.equal((await store.get(entry.id))?.id, entry.id);
  assert.equal(readVersion(path), sqliteMigrations.length);
});
