/** `rangelight store`: checks, salvages and copies stored results by hand, and ends doubt about a clock. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { runCli } from './run-cli.ts';

const scope = { after };
const folder = makeScratchFolder(scope);
const original = join(folder, 'original');
const ids: string[] = [];

const job = [
  `INSERT INTO jobs (id, client, request, state, total, done, failed, attempt, beat, created_at)
    VALUES ('job', 'c', '{}', 'queued', 1, 0, 0, 0, 0, 1)`,
  `INSERT INTO job_pages (job_id, position, url, state, tries, copies) VALUES ('job', 0, 'https://a.b/', 'waiting', 0, 1)`,
  `INSERT INTO schedules (id, client, request, urls, pages, rhythm, paused, callback_when, created_at)
    VALUES ('schedule', 'c', '{}', '[]', 1, '{}', 0, 'always', 1)`,
];

/** 120 results, of which the first has a trace; a job, and a schedule. */
async function makeOriginal(): Promise<void> {
  const trace = join(folder, 'trace.json');
  writeFileSync(trace, '{"traceEvents":[]}');
  const store = await openResultStore({ dataDir: original }, { machineId: '0123456789abcdef' });
  writeFileSync(join(original, 'machine-id'), '0123456789abcdef\n');
  for (let at = 0; at < 120; at += 1) {
    const entry = buildEntry({ full: { coding: 'zstd', bytes: zstdCompressSync(randomBytes(20_000)) } });
    const artifactBytes = at === 0 ? await store.takeArtifacts(entry.id, { trace }) : undefined;
    await store.keep({ ...entry, artifactBytes });
    ids.push(entry.id);
  }
  await store.database.write(job.map(sql => ({ sql, values: [] })));
  await store.close();
}
await makeOriginal();

const run = (...args: string[]) => runCli(scope, ['store', ...args]);

async function readIds(place: Parameters<typeof openResultStore>[0]) {
  const store = await openResultStore(place, { machineId: '0123456789abcdef' });
  const { results } = await store.list({ limit: 1000 });
  const whole = await store.full(ids[5] ?? '');
  const rows = await store.database.rows({
    sql: 'SELECT jobs.id, url, schedules.id FROM jobs JOIN job_pages ON job_id = jobs.id, schedules',
    values: [],
  });
  const traced = await store.withArtifacts(ids);
  await store.close();
  return { ids: results.map(({ id }) => id).toSorted(), bytes: whole?.bytes.byteLength, rows, traced: [...traced] };
}

/** Returns the numbers of a table's pages, of which the first is its root. */
function pagesOf(table: string): number[] {
  const database = new DatabaseSync(join(original, databaseFile), { readOnly: true });
  try {
    const rows = database.prepare("SELECT pageno FROM dbstat WHERE name = ? AND pagetype <> 'overflow'").all(table);
    return rows.map(({ pageno }) => Number(pageno));
  } finally {
    database.close();
  }
}

/** @param page number of the 8 KB page to overwrite */
function damage(page: number): string {
  const path = join(makeScratchFolder(scope), 'damaged.sqlite');
  copyFileSync(join(original, databaseFile), path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, (page - 1) * 8192);
  closeSync(file);
  return path;
}

test('an intact file is reported as intact, and is not changed', async () => {
  const before = readFileSync(join(original, databaseFile));
  const { code, stdout, stderr } = await run('check', original);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^results +120$/m);
  assert.match(stdout, /^The database has no damage\.$/m);
  assert.ok(readFileSync(join(original, databaseFile)).equals(before));
});

test('without a path, the configured one is checked', async () => {
  const { code, stdout } = await runCli(scope, ['store', 'check'], { environment: { DATA_DIR: original } });
  assert.deepEqual([code, /^results +120$/m.test(stdout)], [0, true]);
});

test('damage is found, and the rest salvaged to a new location', async () => {
  const path = damage(pagesOf('bodies')[1] ?? assert.fail());
  const before = readFileSync(path);
  const checked = await run('check', path);
  assert.equal(checked.code, 1);
  assert.match(checked.stdout, /^damaged: /m);
  const target = join(makeScratchFolder(scope), 'new');
  const salvaged = await run('salvage', path, target);
  assert.equal(salvaged.code, 1, 'rows are missing');
  const { ids: found, rows } = await readIds({ dataDir: target });
  assert.ok(found.length > 75 && found.every(id => ids.includes(id)), String(found.length));
  assert.deepEqual(rows, [['job', 'https://a.b/', 'schedule']]);
  assert.ok(readFileSync(path).equals(before), 'the damaged file is as it was');
  assert.equal(statSync(join(target, databaseFile)).mode & 0o077, 0);
});

test('a file without a page that names its tables is salvaged completely, and added to a store once', async () => {
  const pages = pagesOf('sqlite_schema');
  assert.ok(pages.length > 1 && pages.includes(1));
  for (const page of pages) await salvageTwice(damage(page));
});

async function salvageTwice(path: string): Promise<void> {
  assert.equal((await run('check', path)).code, 1);
  const target = join(makeScratchFolder(scope), 'new');
  for (let time = 0; time < 2; time += 1) assert.equal((await run('salvage', path, target)).code, 0);
  assert.deepEqual((await readIds({ dataDir: target })).ids, ids.toSorted());
}

test('a folder is copied to another one with its traces, and a second time without duplicates', async () => {
  const target = join(makeScratchFolder(scope), 'copy');
  for (const there of [0, 120]) {
    const { code, stdout } = await run('copy', original, target);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^results +${120 - there}${there > 0 ? ' +120 were there' : ''}$`, 'm'));
  }
  const copied = await readIds({ dataDir: target });
  assert.deepEqual(copied, await readIds({ dataDir: original }));
  assert.deepEqual(copied.traced, [ids[0]]);
  assert.ok(existsSync(join(target, 'artifacts', ids[0] ?? '')));
});

test('a folder is copied into PostgreSQL and back, with jobs, schedules and rows of traces', async t => {
  const postgres = await startOwnPostgres(t);
  const url = await postgres.createDatabase();
  for (let time = 0; time < 2; time += 1) {
    const { code, stdout, stderr } = await run('copy', original, url);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /Traces are files and stay in /);
  }
  assert.deepEqual(await readIds({ databaseUrl: url, dataDir: original }), await readIds({ dataDir: original }));
  assert.equal((await run('check', url)).code, 0);
  const back = join(makeScratchFolder(t), 'back');
  assert.equal((await run('copy', url, back)).code, 0);
  assert.deepEqual((await readIds({ dataDir: back })).ids, ids.toSorted());
  const service = await openResultStore({ databaseUrl: url });
  const refused = await run('copy', url, back);
  await service.close();
  assert.deepEqual([refused.code, /Stop it first/.test(refused.stderr)], [3, true]);
});

test('a row that PostgreSQL cannot store is counted as rejected, and all others are copied', async t => {
  const postgres = await startOwnPostgres(t);
  const odd = join(makeScratchFolder(t), 'odd');
  await run('copy', original, odd);
  const file = new DatabaseSync(join(odd, databaseFile));
  file.prepare("UPDATE results SET label = 'a' || char(0) WHERE id = ?").run(ids[7] ?? '');
  file.close();
  const { code, stdout, stderr } = await run('copy', odd, await postgres.createDatabase());
  assert.match(stdout, /^results +119 +1 refused$/m, stderr);
  assert.equal(code, 1);
});

test('a store that a service uses is rejected, and the target is not created', async t => {
  const dataDir = join(makeScratchFolder(t), 'used');
  await run('copy', original, dataDir);
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  const other = join(makeScratchFolder(t), 'other');
  for (const args of [
    ['copy', dataDir, other],
    ['copy', original, dataDir],
    ['trust-clock', dataDir],
  ]) {
    const { code, stderr } = await run(...args);
    assert.deepEqual([code, /Stop the service first/.test(stderr)], [3, true], stderr);
  }
  assert.equal(existsSync(other), false);
  assert.equal((await run('check', dataDir)).code, 0, 'it can be checked');
});

test('a store that trusts the clock says so', async () => {
  const { code, stdout } = await run('trust-clock', original);
  assert.deepEqual([code, stdout], [0, 'The store does not doubt the clock.\n']);
});

test('an invalid command is reported with its fault and without passwords', async () => {
  const wrong: readonly (readonly [string[], number, RegExp])[] = [
    [['polish'], 2, /check, salvage, copy and trust-clock/],
    [['trust-clock', original, folder], 2, /at most one place/],
    [['trust-clock', join(folder, 'none')], 3, /There is no database/],
    [['copy', original], 2, /two places/],
    [['copy', original, original], 2, /same place/],
    [['copy', original, 'mysql://me:hunter2@host/x'], 2, /a place is/],
    [['copy', original, 'postgresql://me:hunter2@host:port/x'], 2, /not valid/],
    [['copy', original, 'postgresql://me:hunter2@127.0.0.1:1/x'], 3, /cannot be reached/],
    [['salvage', original, 'postgresql://me:hunter2@127.0.0.1:1/x'], 2, /writes files/],
    [['salvage', join(folder, 'none'), join(folder, 'new')], 3, /There is no database/],
    [['check', '--all'], 2, /no option --all/],
  ];
  for (const [args, expected, message] of wrong) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [expected, ''], args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /hunter2/);
  }
  assert.match((await run('--help')).stdout, /store salvage FROM TO/);
});
