/** Secrets of an ended experiment are in no byte of the database file or its log. */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { toSecretInsert, toSecretRemoval } from '../../src/jobs/statements.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { until } from '../support/until.ts';

const canary = 'canary-5f0c6a';

/** Returns the numbers of the secrets that a file in the folder contains. */
function findSecrets(folder: string): number[] {
  const names = readdirSync(folder).filter(name => name.startsWith(databaseFile));
  const text = names.map(name => readFileSync(join(folder, name), 'latin1')).join('\n');
  const numbers = [...text.matchAll(new RegExp(`${canary}-(\\d+)-`, 'g'))].map(([, number]) => Number(number));
  return [...new Set(numbers)].toSorted((a, b) => a - b);
}

/** A secret of this length, of which every part can be recognised. */
const toSecret = (number: number, length: number): string =>
  `${canary}-${number}-`.repeat(Math.ceil(length / 16)).slice(0, length);

const addSecret = ({ database }: ResultStore, number: number, length: number) =>
  database.write([
    {
      sql: `INSERT INTO jobs (id, client, request, state, total, done, failed, attempt, beat, created_at)
        VALUES (?, 'a', '{}', 'running', 1, 0, 0, 1, 1, 1)`,
      values: [`${number}`],
    },
    toSecretInsert(`${number}`, toSecret(number, length)),
  ]);

const end = ({ database }: ResultStore, number: number) =>
  database.write([
    { sql: 'UPDATE jobs SET ended_at = 1 WHERE id = ?', values: [`${number}`] },
    toSecretRemoval(`${number}`),
  ]);

test('secrets of any length disappear with the end of their experiment, whichever ends first', async t => {
  const folder = makeScratchFolder(t);
  const store = await openResultStore({ dataDir: folder });
  t.after(() => store.close());
  const lengths = [40, 900, 3000, 5000, 9000, 20_000, 200_000];
  const numbers = Array.from({ length: 24 }, (_, at) => at + 100);
  for (const [at, number] of numbers.entries()) {
    await addSecret(store, number, lengths[(at * 5) % lengths.length] ?? 0);
    if (at % 4 === 0) await store.keep(buildEntry());
    // The log moves into the file between the secrets.
    if (at % 9 === 0) await store.database.reclaim();
  }
  assert.deepEqual(findSecrets(folder), numbers);
  const left = new Set(numbers);
  for (const number of numbers.toSorted((a, b) => ((a * 7) % 25) - ((b * 7) % 25))) {
    await end(store, number);
    left.delete(number);
    assert.deepEqual(
      findSecrets(folder),
      [...left].toSorted((a, b) => a - b),
      `${number}`,
    );
  }
  await store.close();
  assert.deepEqual(findSecrets(folder), []);
});

test('a secret that a reader of the file kept in the log disappears with the next pause or sweep', async t => {
  for (const next of ['pause', 'sweep'] as const) {
    const folder = makeScratchFolder(t);
    const store = await openResultStore({ dataDir: folder }, { busyTimeoutMs: 10 });
    t.after(() => store.close());
    await addSecret(store, 100, 5000);
    const reader = new DatabaseSync(join(folder, databaseFile), { readOnly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM job_secrets').all();
    await end(store, 100);
    assert.deepEqual(findSecrets(folder), [100]);
    const killed = makeScratchFolder(t);
    cpSync(folder, killed, { recursive: true });
    reader.close();
    if (next === 'sweep') await store.sweep({});
    await until(() => findSecrets(folder).length === 0);
    // A service that is killed at that moment sweeps when it starts again.
    const restarted = await openResultStore({ dataDir: killed });
    t.after(() => restarted.close());
    await restarted.sweep({});
    assert.deepEqual(findSecrets(killed), []);
  }
});
