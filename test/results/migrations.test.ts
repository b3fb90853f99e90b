/** A database file of an earlier version. Migrations run at the start, forwards only, all of them or none. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteMigrations } from '../../src/storage/database/migrations.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';
import { mountDisk } from './own-disk.ts';

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

/** A database file with the tables of the first version and these entries. */
async function makeFirstVersion(scope: Scope, entries: readonly ReturnType<typeof buildEntry>[]) {
  const dataDir = makeScratchFolder(scope);
  const newer = makeScratchFolder(scope);
  const path = join(dataDir, databaseFile);
  const store = await openResultStore({ dataDir: newer });
  for (const entry of entries) assert.deepEqual(await store.keep(entry), { kept: true });
  await store.close();
  const first = withFile(path, database => {
    database.exec(`PRAGMA journal_mode = WAL; ${sqliteMigrations[0]}; PRAGMA user_version = 1`);
    database.exec(`ATTACH '${join(newer, databaseFile)}' AS newer`);
    for (const name of tablesOf(database)) {
      const columns = database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all();
      const names = columns.map(column => column.name).join(', ');
      if (name !== 'store_state') database.exec(`INSERT INTO ${name} (${names}) SELECT ${names} FROM newer.${name}`);
    }
    return tablesOf(database);
  });
  return { dataDir, path, firstTables: first };
}

test('a database of the first version is upgraded with all its data', async t => {
  const entries = Array.from({ length: 20 }, () => buildEntry());
  const { dataDir, path } = await makeFirstVersion(t, entries);
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  assert.equal(store.status().entries, 20);
  for (const { full, ...entry } of entries) {
    assert.deepEqual(await store.get(entry.id), {
      ...entry,
      disturbed: null,
      cpuSlowdown: null,
      benchmarkIndex: null,
      performanceRange: null,
    });
    assert.deepEqual([...((await store.full(entry.id))?.bytes ?? [])], [...(full?.bytes ?? [])]);
  }
  assert.deepEqual(await store.keep(buildEntry()), { kept: true });
  assert.equal(readVersion(path), sqliteMigrations.length);
});

test('a failed migration changes nothing, and runs once its cause is gone', async t => {
  const entry = buildEntry();
  const { dataDir, path, firstTables } = await makeFirstVersion(t, [entry]);
  // The last table that the second migration creates.
  withFile(path, database => database.exec('CREATE TABLE deliveries (id TEXT)'));
  const failed = await openResultStore({ dataDir });
  await failed.close();
  assert.equal(readVersion(path), 1);
  assert.deepEqual(withFile(path, tablesOf), [...firstTables, 'deliveries'].sort());
  withFile(path, database => database.exec('DROP TABLE deliveries'));
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  assert.equal((await store.get(entry.id))?.id, entry.id);
  assert.equal(readVersion(path), sqliteMigrations.length);
});

test('the file is copied before its tables change, once, and the copy has the earlier version', async t => {
  const entries = Array.from({ length: 5 }, () => buildEntry());
  const { dataDir, path, firstTables } = await makeFirstVersion(t, entries);
  const events: string[] = [];
  const copyOf = () => readdirSync(dataDir).filter(name => name.includes('before-version'));
  for (let start = 0; start < 2; start += 1) {
    const store = await openResultStore({ dataDir }, { onEvent: ({ event }) => events.push(event) });
    await store.keep(buildEntry());
    await store.close();
  }
  assert.deepEqual(
    events.filter(event => event.includes('cop')),
    ['copied'],
  );
  assert.deepEqual(copyOf(), [`results.before-version-${sqliteMigrations.length}.sqlite`]);
  const copy = join(dataDir, copyOf()[0] ?? '');
  assert.equal(statSync(copy).mode & 0o077, 0);
  assert.deepEqual([readVersion(copy), withFile(copy, tablesOf)], [1, firstTables]);
  const ids = withFile(copy, database =>
    database
      .prepare('SELECT id FROM results')
      .all()
      .map(({ id }) => id),
  );
  assert.deepEqual(ids.toSorted(), entries.map(({ id }) => id).toSorted());
  assert.equal(readVersion(path), sqliteMigrations.length);
});

test('a newer copy replaces an older one, and a new file is not copied', async t => {
  const { dataDir } = await makeFirstVersion(t, [buildEntry()]);
  const older = join(dataDir, 'results.before-version-2.sqlite');
  writeFileSync(older, 'older');
  await (await openResultStore({ dataDir })).close();
  assert.equal(existsSync(older), false);
  const empty = makeScratchFolder(t);
  await (await openResultStore({ dataDir: empty })).close();
  assert.deepEqual(readdirSync(empty), [databaseFile]);
});

test('without space for a copy the upgrade continues, and says so', async t => {
  const disk = mountDisk(t, 4);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const full = { coding: 'zstd', bytes: randomBytes(300_000) };
  const { path } = await makeFirstVersion(
    t,
    Array.from({ length: 8 }, () => buildEntry({ full })),
  );
  copyFileSync(path, join(disk, databaseFile));
  const events: string[] = [];
  const store = await openResultStore({ dataDir: disk }, { onEvent: ({ event }) => events.push(event) });
  t.after(() => store.close());
  assert.deepEqual([events[0], store.status().entries], ['not_copied', 8]);
});

test('of several deliveries for one job, the most advanced one stays', async t => {
  const dataDir = makeScratchFolder(t);
  const step = sqliteMigrations.findIndex(sql => sql.includes('deliveries_by_event'));
  const row = (id: string, job: string, state: string, tries: number, at: number) =>
    `('${id}', '${job}', 'https://example.com/', '{}', '${state}', ${tries}, ${at}, ${at}, NULL)`;
  withFile(join(dataDir, databaseFile), database => {
    for (const sql of sqliteMigrations.slice(0, step)) database.exec(sql);
    database.exec(
      `INSERT INTO deliveries VALUES ${[
        row('a1', 'a', 'waiting', 5, 1),
        row('a2', 'a', 'delivered', 1, 2),
        row('b1', 'b', 'given_up', 9, 1),
        row('b2', 'b', 'waiting', 0, 2),
        row('c1', 'c', 'waiting', 0, 2),
        row('c2', 'c', 'waiting', 0, 1),
        row('d1', 'd', 'waiting', 3, 1),
      ].join(', ')}`,
    );
    database.exec(`PRAGMA user_version = ${step}`);
  });
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  const rows = await store.database.rows({ sql: 'SELECT id, kind FROM deliveries ORDER BY id', values: [] });
  assert.deepEqual(
    rows.map(([id, kind]) => `${id} ${kind}`),
    ['a2 ended', 'b2 ended', 'c2 ended', 'd1 ended'],
  );
});
