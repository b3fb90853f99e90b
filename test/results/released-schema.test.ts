/** A database of the last release has, after its upgrade, the same schema as a new one. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { postgresMigrations, sqliteMigrations } from '../../src/storage/database/migrations.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';

/** The steps of the last release, recorded from its code. A new release adds its step here. */
const releasedSteps = (engine: 'sqlite' | 'postgres'): string[] =>
  readFileSync(new URL(`./released/${engine}.sql`, import.meta.url), 'utf8')
    .split(/^-- Step \d+\n/m)
    .slice(1);

function withFile<T>(path: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The stored SQL differs only in white space. */
const readSqliteSchema = (path: string) =>
  withFile(path, database =>
    database
      .prepare('SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rootpage')
      .all()
      .map(row => ({
        ...row,
        sql: String(row.sql)
          .replaceAll(/\s+/g, ' ')
          .replaceAll(/(?<=\() | (?=[),])/g, ''),
      })),
  );

test('SQLite: a file of every released version has the schema of a new file after its upgrade', async t => {
  const fresh = makeScratchFolder(t);
  await (await openResultStore({ dataDir: fresh })).close();
  const expected = readSqliteSchema(join(fresh, databaseFile));
  const steps = releasedSteps('sqlite');
  for (let version = 1; version <= steps.length; version += 1) {
    const dataDir = makeScratchFolder(t);
    const path = join(dataDir, databaseFile);
    withFile(path, database => {
      database.exec('PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
      for (const step of steps.slice(0, version)) database.exec(step);
      database.exec(`PRAGMA user_version = ${version}`);
    });
    const store = await openResultStore({ dataDir });
    assert.deepEqual(await store.keep(buildEntry()), { kept: true });
    await store.close();
    assert.deepEqual(readSqliteSchema(path), expected, `version ${version}`);
  }
  assert.ok(sqliteMigrations.length >= steps.length);
});

const postgresSchema = `
  SELECT table_name AS of, column_name AS name, concat_ws(' ', data_type, collation_name, is_nullable, column_default,
    is_identity, attstorage) AS definition
  FROM information_schema.columns JOIN pg_attribute
    ON attrelid = format('%I.%I', table_schema, table_name)::regclass AND attname = column_name
  WHERE table_schema = 'rangelight'
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'rangelight'
  UNION ALL SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'rangelight'::regnamespace
  ORDER BY 1, 2, 3`;

test('PostgreSQL: a database of every released version has the schema of a new one after its upgrade', async t => {
  const postgres = await startOwnPostgres(t);
  const fresh = await postgres.createDatabase();
  await (await openResultStore({ databaseUrl: fresh })).close();
  const expected = await postgres.query(fresh, postgresSchema);
  assert.ok(expected.length > 150, String(expected.length));
  const steps = releasedSteps('postgres');
  for (let version = 1; version <= steps.length; version += 1) {
    const url = await postgres.createDatabase();
    await postgres.query(
      url,
      `CREATE SCHEMA rangelight; SET search_path TO rangelight;
      CREATE TABLE schema_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
      INSERT INTO schema_state VALUES ('version', ${version}); ${steps.slice(0, version).join('')}`,
    );
    const store = await openResultStore({ databaseUrl: url });
    assert.deepEqual(await store.keep(buildEntry()), { kept: true });
    await store.close();
    assert.deepEqual(await postgres.query(url, postgresSchema), expected, `version ${version}`);
  }
  assert.ok(postgresMigrations.length >= steps.length);
});
