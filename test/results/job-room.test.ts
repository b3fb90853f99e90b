/** KEEP_SIZE includes the room that jobs take in the database of results. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { sizeOfJobs } from '../../src/storage/results/sql/job-room.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';

const answerBytes = 100_000;
const pages = 5;
const keepBytes = 8 * pages * answerBytes;

async function addJob({ database }: ResultStore, id: string, endedAtMs: number | null, client = 'a'): Promise<void> {
  await database.write([
    {
      sql: `INSERT INTO jobs (id, client, request, state, total, done, failed, attempt, beat, created_at, ended_at)
        VALUES (?, ?, '{}', 'succeeded', 1, 1, 0, 1, 1, 1, ?)`,
      values: [id, client, endedAtMs],
    },
    ...Array.from({ length: pages }, (_, position) => ({
      sql: `INSERT INTO job_pages (job_id, position, url, state, tries, copies, answer)
        VALUES (?, ?, 'https://example.com/', 'succeeded', 1, 1, ?)`,
      values: [id, position, new Uint8Array(answerBytes)],
    })),
  ]);
}

const idsOf = async ({ database }: ResultStore) =>
  (await database.rows({ sql: 'SELECT id FROM jobs ORDER BY id', values: [] })).map(([id]) => id);

test('the oldest ended jobs are removed first, and unfinished ones stay', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  for (const [id, endedAtMs] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
    ['d', null],
  ] as const)
    await addJob(store, id, endedAtMs);
  await store.sweep({ keepBytes });
  assert.deepEqual(await idsOf(store), ['d']);
  assert.ok((await sizeOfJobs(store.database)) > pages * answerBytes);
});

test('a client displaces its own jobs, those with a callback to deliver last', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  await addJob(store, 'other', 1, 'b');
  for (const [id, endedAtMs] of [
    ['waiting', 2],
    ['old', 3],
    ['new', 4],
  ] as const)
    await addJob(store, id, endedAtMs);
  await store.database.write([
    {
      sql: `INSERT INTO deliveries (id, job_id, kind, url, body, state, tries, next_at, created_at)
        VALUES ('d', 'waiting', 'ended', 'https://example.com/', '{}', 'waiting', 0, 1, 1)`,
      values: [],
    },
  ]);
  await store.sweep({ keepBytes: 2.4 * keepBytes });
  assert.deepEqual(await idsOf(store), ['new', 'other', 'waiting']);
  await store.sweep({ keepBytes: 1.6 * keepBytes });
  assert.deepEqual(await idsOf(store), ['other', 'waiting']);
});

test('the reference for the next run of a schedule is not removed', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  for (const id of ['a', 'b', 'c']) await addJob(store, id, 1);
  await store.database.write([
    {
      sql: `INSERT INTO schedules (id, client, request, urls, pages, rhythm, paused, callback_when, created_at, previous_job_id)
        VALUES ('s', 'a', '{}', '[]', 1, '{}', 0, 'always', 1, 'a')`,
      values: [],
    },
  ]);
  await store.sweep({ keepBytes });
  assert.deepEqual(await idsOf(store), ['a']);
});

test('unfinished jobs take space from results, but not more than half of it', async t => {
  const store = await openResultStore({ dataDir: makeScratchFolder(t) });
  t.after(() => store.close());
  const megabyte = 1024 * 1024;
  const full = { coding: 'zstd', bytes: new Uint8Array(answerBytes) };
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await addJob(store, id, null);
  for (let entry = 0; entry < 40; entry += 1) await store.keep(buildEntry({ full }));
  await store.sweep({ keepBytes: 6 * megabyte });
  assert.equal((await idsOf(store)).length, 6);
  const left = store.status().bytes;
  assert.ok(left > 1.5 * megabyte && left < 3 * megabyte, `${left}`);
});
