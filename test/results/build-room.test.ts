/** KEEP_SIZE and KEEP_DAYS include uploaded builds, and the builds of one project displace no results of others. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { addBuild, addRun, listBuilds } from '../../src/storage/lhci/builds.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';

const megabyte = 1024 * 1024;
const dayMs = 24 * 60 * 60_000;
const whole = { coding: 'zstd', bytes: new Uint8Array(100_000) };

const open = async (t: TestContext, place: { dataDir?: string; databaseUrl?: string }) => {
  const store = await openResultStore(place);
  t.after(() => store.close());
  return store;
};
const stores: readonly (readonly [name: string, openStore: (t: TestContext) => Promise<ResultStore>])[] = [
  ['SQLite', t => open(t, { dataDir: makeScratchFolder(t) })],
  ['PostgreSQL', async t => open(t, { databaseUrl: await (await startOwnPostgres(t)).createDatabase() })],
];

type Wanted = { project: string; runs: number; createdAtMs?: number; facts?: Record<string, string> };

/** Adds a build with its results, and returns the ids of the results. */
async function addUpload(store: ResultStore, { project, runs, createdAtMs = Date.now(), facts = {} }: Wanted) {
  const id = randomUUID();
  const label = `${project}:main@1-${id}`;
  const place = { id, projectId: project, label, hash: id, branch: 'main', ancestorHash: null };
  await addBuild(store.database, { ...place, lifecycle: 'unsealed', runAtMs: createdAtMs, createdAtMs, facts });
  const entries = Array.from({ length: runs }, () => buildEntry({ full: whole, label }));
  for (const entry of entries) {
    await addRun(store.database, {
      id: entry.id,
      buildId: id,
      url: 'http://localhost:PORT/',
      strategy: 'mobile',
      isRepresentative: false,
      createdAtMs,
    });
    await store.keep(entry);
  }
  return entries.map(entry => entry.id);
}

const addResults = async (store: ResultStore, count: number) => {
  const entries = Array.from({ length: count }, () => buildEntry({ full: whole }));
  for (const entry of entries) await store.keep(entry);
  return entries.map(({ id }) => id);
};

const countLeft = async (store: ResultStore, ids: readonly string[]) =>
  (await Promise.all(ids.map(id => store.get(id)))).filter(entry => entry !== undefined).length;

const buildsOf = async ({ database }: ResultStore, project: string) =>
  (await listBuilds(database, project, { limit: 10_000 })).length;

for (const [name, openStore] of stores) {
  test(`${name}: many builds without results displace their own project's, not results`, async t => {
    const store = await openStore(t);
    const others = await addResults(store, 20);
    const [quiet = ''] = await addUpload(store, { project: 'quiet', runs: 1 });
    const facts = { commitMessage: 'x'.repeat(1500) };
    const count = 2500;
    await store.database.write(
      Array.from({ length: count }, (_, at) => ({
        sql: `INSERT INTO lhci_builds (id, project_id, lifecycle, hash, branch, label, run_at, created_at, facts)
          VALUES (?, 'loud', 'unsealed', ?, 'main', 'loud:main@1', 1, ?, ?)`,
        values: [`${at}`, `${at}`, Date.now(), JSON.stringify(facts)],
      })),
    );
    await store.sweep({ keepBytes: 6 * megabyte });
    assert.equal(await countLeft(store, [...others, quiet]), others.length + 1);
    const left = await buildsOf(store, 'loud');
    assert.ok(left > 100 && left < count, `${left}`);
    assert.equal(await buildsOf(store, 'quiet'), 1);
  });

  test(`${name}: the results of one project's builds displace its own, the oldest first`, async t => {
    const store = await openStore(t);
    const others = await addResults(store, 20);
    const quiet = await addUpload(store, { project: 'quiet', runs: 2 });
    const loud: string[] = [];
    for (let at = 0; at < 12; at += 1)
      loud.push(...(await addUpload(store, { project: 'loud', runs: 4, createdAtMs: Date.now() + at })));
    await store.sweep({ keepBytes: 6 * megabyte });
    assert.equal(await countLeft(store, [...others, ...quiet]), 22);
    const left = await countLeft(store, loud);
    assert.ok(left >= 4 && left < loud.length, `${left}`);
    assert.equal(await countLeft(store, loud.slice(-left)), left);
    assert.equal(await buildsOf(store, 'loud'), left / 4);
    const orphans = await store.database.rows({
      sql: 'SELECT id FROM lhci_runs WHERE build_id NOT IN (SELECT id FROM lhci_builds)',
      values: [],
    });
    assert.deepEqual(orphans, []);
  });

  test(`${name}: builds may take the whole store while nobody else needs it`, async t => {
    const store = await openStore(t);
    const own = await addUpload(store, { project: 'only', runs: 30 });
    await store.sweep({ keepBytes: 6 * megabyte });
    assert.equal(await countLeft(store, own), 30);
  });

  test(`${name}: a build ages with its results, and an empty one after a day`, async t => {
    const store = await openStore(t);
    const before = (days: number) => Date.now() - days * dayMs;
    await addUpload(store, { project: 'empty', runs: 0, createdAtMs: before(2) });
    await addUpload(store, { project: 'started', runs: 0, createdAtMs: before(0.5) });
    // An import stores results of old builds, which age from the import on.
    const [imported = ''] = await addUpload(store, { project: 'imported', runs: 1, createdAtMs: before(500) });
    const [forgotten = ''] = await addUpload(store, { project: 'forgotten', runs: 1, createdAtMs: before(500) });
    await store.forget(forgotten);
    await store.sweep({ keepDays: 90 });
    const projects = ['empty', 'started', 'imported', 'forgotten'];
    assert.deepEqual(await Promise.all(projects.map(project => buildsOf(store, project))), [0, 1, 1, 0]);
    assert.ok(await store.get(imported));
  });
}
