/** Damaged pages of the database file: everything outside them is served, and jobs and schedules go on. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { askForJob, followToEnd } from '../jobs/jobs.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, post } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, type StartedService, startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

const pageBytes = 8192;
const count = 400;
const scope = { after };

/** Creates 400 results, some removed ones, a schedule, and a job with pages to measure. */
async function makeOriginal() {
  const folder = makeScratchFolder(scope);
  const store = await openResultStore({ dataDir: folder });
  const ids: string[] = [];
  for (let at = 0; at < count + 40; at += 1) {
    const summary = JSON.stringify({ url: `https://example.com/${at}`, text: randomBytes(2000).toString('hex') });
    const full = { coding: 'zstd', bytes: randomBytes(20_000 + at) };
    const entry = buildEntry({ summary, full, url: `https://example.com/${at % 40}` });
    await store.keep(entry);
    ids.push(entry.id);
  }
  await store.close();
  const fake = await startFakePsi(scope);
  const release = fake.hold();
  const service = await startService(scope, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  const urls = ['https://example.com/a', 'https://example.com/b'];
  const { body: job } = await askForJob(service, { urls, strategy: 'mobile' });
  await fake.calls.waitFor(2);
  assert.equal((await post(service, '/schedules', { urls, strategy: 'mobile', cron: '0 3 * * *' })).status, 201);
  await service.close(0);
  release();
  const again = await openResultStore({ dataDir: folder });
  for (const id of ids.splice(0, 40)) await again.forget(id);
  await again.close();
  return { path: join(folder, databaseFile), ids, job: job.id };
}
const original = await makeOriginal();

function damagePages(path: string, numbers: readonly number[], byte = 0xa5): void {
  const file = openSync(path, 'r+');
  for (const number of numbers) writeSync(file, Buffer.alloc(pageBytes, byte), 0, pageBytes, (number - 1) * pageBytes);
  closeSync(file);
}

function copyOriginal(t: Scope): { folder: string; path: string } {
  const folder = makeScratchFolder(t);
  const path = join(folder, databaseFile);
  copyFileSync(original.path, path);
  return { folder, path };
}

/** The page numbers of the tables' leaves and of other parts of the original file. */
function findPlaces() {
  const database = new DatabaseSync(original.path, { readOnly: true });
  const pages = database.prepare('SELECT name, path, pageno, pagetype FROM dbstat').all();
  database.close();
  const rootOf = (name: string) => Number(pages.find(page => page.name === name && page.path === '/')?.pageno);
  const firstFree = readFileSync(original.path).readUInt32BE(32);
  assert.ok(firstFree > 0, 'there are free pages');
  const leavesOf = (name: string) =>
    pages.filter(page => page.name === name && page.pagetype === 'leaf').map(({ pageno }) => Number(pageno));
  return {
    leavesOf,
    rootOf,
    places: {
      'the header': 1,
      'the map of pages': 2,
      'the index by time': rootOf('results_by_time'),
      'the index by page': rootOf('results_by_url'),
      'the index of ids': rootOf('sqlite_autoindex_results_1'),
      'the index of unfinished jobs': rootOf('jobs_unfinished'),
      'the list of free pages': firstFree,
    },
  };
}
const { places, leavesOf, rootOf } = findPlaces();

async function listIds(store: ResultStore): Promise<string[]> {
  const { results } = await store.list({ limit: 1000 });
  return results.map(({ id }) => id).filter(id => original.ids.includes(id));
}

/** Counts the original's results that can be listed, read, and read with their full data. */
async function countServed(store: ResultStore) {
  const listed = await listIds(store);
  const isThere = (work: Promise<unknown>) =>
    work.then(
      found => found !== undefined,
      () => false,
    );
  const read: string[] = [];
  const whole: string[] = [];
  for (const id of original.ids) {
    if (await isThere(store.get(id))) read.push(id);
    if (await isThere(store.full(id))) whole.push(id);
  }
  const rows = async (table: string) =>
    Number((await store.database.rows({ sql: `SELECT count(*) FROM ${table}`, values: [] }))[0]?.[0]);
  return {
    listed: listed.length,
    read: read.length,
    whole: whole.length,
    jobs: await rows('jobs'),
    pages: await rows('job_pages'),
    schedules: await rows('schedules'),
  };
}
const all = { listed: count, read: count, whole: count, jobs: 1, pages: 2, schedules: 1 };

for (const [name, page] of Object.entries(places))
  for (const byte of [0xa5, 0])
    test(`damage to ${name} costs no row (${byte === 0 ? 'zeros' : 'noise'})`, async t => {
      const { folder, path } = copyOriginal(t);
      damagePages(path, [page], byte);
      const store = await openResultStore({ dataDir: folder });
      t.after(() => store.close());
      assert.deepEqual(await countServed(store), all);
      assert.deepEqual(await store.keep(buildEntry()), { kept: true });
    });

test('damage to a leaf page costs only its rows, wherever it is', async t => {
  const [ofResults = 0] = leavesOf('results').slice(3);
  const [ofBodies = 0] = leavesOf('bodies').slice(7);
  for (const [page, lost] of [
    [ofResults, 40],
    [ofBodies, 12],
    [ofBodies + 1, 12],
  ] as const) {
    const { folder, path } = copyOriginal(t);
    damagePages(path, [page]);
    const store = await openResultStore({ dataDir: folder });
    t.after(() => store.close());
    const served = await countServed(store);
    assert.ok(served.read >= count - lost && served.read <= count, JSON.stringify(served));
    assert.ok(served.whole < count, JSON.stringify(served));
    assert.deepEqual([served.jobs, served.pages, served.schedules], [1, 2, 1]);
  }
});

test('a table with a row id that jumps back before a damaged page is read to its end', async t => {
  const { folder, path } = copyOriginal(t);
  const [leaf = 0, next = 0] = leavesOf('bodies').slice(20);
  const page = readFileSync(path).subarray((leaf - 1) * pageBytes, leaf * pageBytes);
  const cells = page.readUInt16BE(3);
  let at = page.readUInt16BE(8 + 2 * (cells - 1));
  // The length of the row precedes its id; all bytes of such a number but the last are above 127.
  while ((page[at] as number) > 127) at += 1;
  for (at += 1; (page[at] as number) > 127; at += 1) page[at] = 128;
  page[at] = 0;
  const file = openSync(path, 'r+');
  writeSync(file, page, 0, pageBytes, (leaf - 1) * pageBytes);
  closeSync(file);
  damagePages(path, [next]);
  const store = await openResultStore({ dataDir: folder });
  t.after(() => store.close());
  const served = await countServed(store);
  assert.ok(served.read > count - 40 && served.whole < count, JSON.stringify(served));
});

test('a result of which only the facts are left is listed, and reading it reports the damage', async t => {
  const { folder, path } = copyOriginal(t);
  damagePages(path, [leavesOf('bodies')[5] ?? 0]);
  const service = await startService(t, { DATA_DIR: folder });
  const lost: string[] = [];
  for (const id of original.ids) {
    const answer = await fetch(`${service.url}/results/${id}`);
    const body = (await answer.json()) as Problem;
    if (answer.status === 200) continue;
    assert.deepEqual([answer.status, body.code], [503, 'results_unavailable']);
    assert.match(body.detail, /damaged/);
    assert.doesNotMatch(body.detail, /sqlite/);
    lost.push(id);
  }
  assert.ok(lost.length > 0 && lost.length < 12, String(lost.length));
});

const readMetric = async (service: StartedService, name: string) => {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return new RegExp(`^rangelight_${name} (.*)$`, 'm').exec(text)?.[1];
};

async function assertGoesOn(folder: string, service: StartedService): Promise<void> {
  const { body: list } = await ask<{ results: { id: string }[] }>(service, '/results?limit=1000');
  assert.ok(list.results.length > count - 100, String(list.results.length));
  await followToEnd(service, original.job);
  assert.equal((await ask<JobAnswer>(service, `/jobs/${original.job}`)).body.state, 'succeeded');
  assert.equal((await ask<{ schedules: unknown[] }>(service, '/schedules')).body.schedules.length, 1);
  const { body: health } = await ask<Health>(service, '/health');
  assert.deepEqual(
    [health.status, health.results.state, health.results.fault?.code],
    ['degraded', 'degraded', 'corrupt'],
  );
  assert.ok(!health.results.fault?.message.includes(folder), health.results.fault?.message);
  assert.equal((await fetch(`${service.url}/health/ready`)).status, 200, 'it is ready for work');
  assert.deepEqual(
    [await readMetric(service, 'store_damaged'), await readMetric(service, 'store_moved_aside_total')],
    ['1', '1'],
  );
}

test('a service that starts on a damaged file reports it, preserves it, and continues jobs and schedules', async t => {
  const { folder, path } = copyOriginal(t);
  damagePages(path, [1, leavesOf('results')[2] ?? 0, leavesOf('bodies')[9] ?? 0]);
  const damaged = readFileSync(path);
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  await assertGoesOn(folder, service);
  const [aside = ''] = readdirSync(folder).filter(name => /^results\.corrupt-.*\.sqlite$/.test(name));
  assert.ok(readFileSync(join(folder, aside)).equals(damaged), 'the damaged file is as it was');
  assert.equal(statSync(path).mode & 0o077, 0);
});

test('a file that is damaged while the service runs costs no more rows', async t => {
  const { folder, path } = copyOriginal(t);
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const service = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  await fake.calls.waitFor(2);
  damagePages(path, [places['the index by time'], ...leavesOf('results').slice(4, 6), leavesOf('bodies')[20] ?? 0]);
  release();
  await readUntil(
    async () => {
      for (const id of original.ids) await (await fetch(`${service.url}/results/${id}?detailed=true`)).arrayBuffer();
      return readMetric(service, 'store_moved_aside_total');
    },
    moved => moved === '1',
  );
  await assertGoesOn(folder, service);
});

test('damage to the root of a table costs that table, and no other', async t => {
  const { folder, path } = copyOriginal(t);
  damagePages(path, [rootOf('bodies')]);
  const store = await openResultStore({ dataDir: folder });
  t.after(() => store.close());
  assert.deepEqual(await countServed(store), { ...all, read: 0, whole: 0 });
  assert.ok(
    readdirSync(folder).some(name => name.startsWith('results.corrupt-')),
    'the damaged file is there',
  );
});

test('a file that was cut off keeps what is before the cut', async t => {
  const { folder, path } = copyOriginal(t);
  truncateSync(path, Math.floor(statSync(path).size / 2) + 100);
  const store = await openResultStore({ dataDir: folder });
  t.after(() => store.close());
  const served = await countServed(store);
  assert.ok(served.listed > count / 4 && served.read > count / 4, JSON.stringify(served));
  assert.deepEqual(await store.keep(buildEntry()), { kept: true });
});

test('damage to the log, and its loss, cost only the newest results', async t => {
  const live = makeScratchFolder(t);
  const older = await openResultStore({ dataDir: live });
  const entries = Array.from({ length: 40 }, () =>
    buildEntry({ full: { coding: 'zstd', bytes: randomBytes(30_000) } }),
  );
  for (const entry of entries.slice(0, 20)) await older.keep(entry);
  // This moves the log into the file.
  await older.close();
  const store = await openResultStore({ dataDir: live });
  t.after(() => store.close());
  for (const entry of entries.slice(20)) await store.keep(entry);
  const size = statSync(`${join(live, databaseFile)}-wal`).size;
  for (const at of [0, 40, Math.floor(size / 2), undefined]) {
    const folder = makeScratchFolder(t);
    copyFileSync(join(live, databaseFile), join(folder, databaseFile));
    if (at !== undefined) {
      copyFileSync(`${join(live, databaseFile)}-wal`, `${join(folder, databaseFile)}-wal`);
      const log = openSync(`${join(folder, databaseFile)}-wal`, 'r+');
      writeSync(log, Buffer.alloc(4096, 0xa5), 0, 4096, at);
      closeSync(log);
    }
    const after = await openResultStore({ dataDir: folder });
    t.after(() => after.close());
    const found = (await after.list({ limit: 100 })).results.map(({ id }) => id).toReversed();
    assert.deepEqual(
      found.toSorted(),
      entries
        .slice(0, found.length)
        .map(({ id }) => id)
        .toSorted(),
      `damage at ${at}`,
    );
    assert.ok(found.length >= (at === undefined || at < 100 ? 20 : 25), `${found.length} after damage at ${at}`);
    for (const id of found) assert.equal((await after.get(id))?.id, id);
    assert.deepEqual(await after.keep(buildEntry()), { kept: true });
  }
});
