/** Results and answers while the database cannot be used, as a client sees them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { databaseFile } from '../../src/storage/results/open-store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { readAll, startListening, startProcess, withoutBrowser } from '../support/start-process.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { readUntil } from '../support/until.ts';
import { mountDisk } from './own-disk.ts';

const fake = await startFakePsi({ after });

const measure = (service: StartedService, page = 'a') =>
  ask<Result & { id: string; links: { self: string } }>(
    service,
    withQuery('/psi', { url: `https://example.com/${page}`, strategy: 'mobile' }),
  );
/** Waits for the lock, because the service may be writing. */
const openPatiently = (folder: string) => new DatabaseSync(join(folder, databaseFile), { timeout: 10_000 });
const readState = async (service: StartedService) => (await ask<Health>(service, '/health')).body.results;

test('a database locked by another process costs no answer, and pending results are stored after the lock', async t => {
  const folder = makeScratchFolder(t);
  const service = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  await measure(service, 'before');
  const other = openPatiently(folder);
  other.exec('BEGIN IMMEDIATE');
  const { status, body } = await measure(service);
  assert.equal(status, 200);
  assert.match(body.warnings.at(-1) ?? '', /^This result is not stored yet: /);
  const { state, waiting, fault } = await readState(service);
  assert.deepEqual([state, waiting, fault?.code], ['degraded', 1, 'locked']);
  assert.equal((await ask<Health>(service, '/health')).body.status, 'ok', 'the service itself is ready');
  other.exec('ROLLBACK');
  other.close();
  const now = await readUntil(
    () => readState(service),
    ({ state }) => state === 'ok',
  );
  assert.deepEqual([now.waiting, now.entries], [0, 2]);
  assert.equal((await ask<Result>(service, body.links.self)).body.url, 'https://example.com/a');
  const { body: hit } = await measure(service);
  assert.deepEqual([hit.id, hit.warnings], [body.id, []], 'the cached result is stored');
});

test('results that wait for a lock are read from memory, survive a kill, and are written once by the next process', async t => {
  const folder = makeScratchFolder(t);
  const environment = { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint, ...withoutBrowser };
  const first = await startListening(t, { environment });
  await (await fetch(first.url + withQuery('/psi', { url: 'https://example.com/before' }))).arrayBuffer();
  const other = openPatiently(folder);
  other.exec('BEGIN IMMEDIATE');
  const answers: (Result & { id: string; links: Record<string, string> })[] = [];
  for (let at = 0; at < 5; at += 1) {
    const path = withQuery('/psi', { url: `https://example.com/locked-${at}`, strategy: 'mobile' });
    answers.push((await ask<(typeof answers)[number]>(first, path)).body);
  }
  const assertLinksWork = async (service: { url: string }) => {
    for (const { links } of answers)
      for (const path of Object.values(links)) {
        const answer = await fetch(service.url + path);
        await answer.arrayBuffer();
        assert.equal(answer.status, 200, path);
      }
  };
  await assertLinksWork(first);
  first.child.kill('SIGKILL');
  await first.exited;
  const second = await startListening(t, { environment });
  await assertLinksWork(second);
  other.exec('ROLLBACK');
  const count = () => Number(other.prepare('SELECT count(*) AS count FROM results').get()?.count);
  await readUntil(
    async () => (await ask<Health>(second, '/health')).body.results,
    ({ waiting, state }) => waiting === 0 && state === 'ok',
  );
  await assertLinksWork(second);
  assert.equal(count(), 2 + answers.length, 'both strategies of the first page, and each that waited');
  assert.deepEqual(readdirSync(join(folder, 'waiting', 'sqlite')), []);
  other.close();
});

test('a full disk costs no answer, and pending results are stored when there is space', async t => {
  const disk = mountDisk(t, 4);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const filler = join(disk, 'filler');
  const service = await startService(t, { DATA_DIR: join(disk, 'data'), PSI_ENDPOINT: fake.endpoint });
  t.after(() => service.close(0));
  await measure(service, 'before');
  const { bavail, bsize } = statfsSync(disk);
  // The service may take some of the space in the meantime; the disk is full in either case.
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  }
  // The write-ahead log may have room for some results.
  let pages = 0;
  const measureNext = () => {
    pages += 1;
    return measure(service, `full-${pages}`);
  };
  const answer = await readUntil(measureNext, ({ body }) => body.warnings.length > 0, { pauseMs: 0 });
  assert.equal(answer.status, 200);
  assert.match(answer.body.warnings.at(-1) ?? '', /^This result is not stored yet: The disk of the database is full/);
  const { state, fault } = await readState(service);
  assert.deepEqual([state, fault?.code], ['degraded', 'disk_full']);
  rmSync(filler);
  const now = await readUntil(
    () => readState(service),
    ({ state }) => state === 'ok',
  );
  assert.equal(now.waiting, 0);
  assert.equal((await ask<Result>(service, answer.body.links.self)).status, 200);
});

test('an unreadable file costs no answer, and a new one replaces it', async t => {
  const folder = makeScratchFolder(t);
  const service = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  await measure(service, 'before');
  await service.close(0);
  writeFileSync(join(folder, databaseFile), Buffer.alloc(100_000, 0xa5));
  const later = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  const { status, body } = await measure(later);
  assert.deepEqual([status, body.warnings], [200, []]);
  assert.deepEqual([(await readState(later)).state, (await readState(later)).entries], ['degraded', 1]);
  assert.ok(readdirSync(folder).some(name => /^results\.corrupt-.*\.sqlite$/.test(name)));
});

test('two services on one data folder store everything, and each finds the results of the other', async t => {
  const settings = { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint };
  const services = await Promise.all([startService(t, settings), startService(t, settings)]);
  const [one, other] = services as [StartedService, StartedService];
  const pages = Array.from({ length: 10 }, (_, at) => at);
  const answers = await Promise.all(pages.flatMap(at => [measure(one, `one-${at}`), measure(other, `other-${at}`)]));
  assert.ok(answers.every(({ status, body }) => status === 200 && body.warnings.length === 0));
  for (const [at, { body }] of answers.entries()) {
    const elsewhere = at % 2 === 0 ? other : one;
    assert.equal((await ask<Result>(elsewhere, body.links.self)).status, 200);
  }
});

test('a returned result is stored, whenever the service is killed', async t => {
  const environment = { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint, ...withoutBrowser };
  const answered = new Set<string>();
  for (let round = 0; round < 2; round += 1) {
    const { url, child, exited } = await startListening(t, { environment });
    const first = Promise.withResolvers<void>();
    const asked = Array.from({ length: 12 }, async (_, at) => {
      const path = withQuery('/psi', { url: `https://example.com/${round}/${at}`, strategy: 'mobile' });
      const { id } = (await (await fetch(url + path)).json()) as { id: string };
      answered.add(id);
      if (at >= round) first.resolve();
    });
    await first.promise;
    child.kill('SIGKILL');
    await Promise.all([exited, Promise.allSettled(asked)]);
  }
  const service = await startService(t, environment);
  assert.ok(answered.size >= 2);
  for (const id of answered) assert.equal((await ask<Result>(service, `/results/${id}`)).status, 200);
});

test('an unusable data folder costs no answer, and reading gives the reason', async t => {
  const folder = join(makeScratchFolder(t), 'a file');
  writeFileSync(folder, 'no folder');
  const service = await startService(t, { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint });
  const { status, body } = await measure(service);
  assert.equal(status, 200);
  assert.match(body.warnings.at(-1) ?? '', /^This result (is not stored yet|could not be stored): /);
  assert.equal((await readState(service)).state, 'degraded');
  const read = await ask<Problem>(service, '/results');
  assert.deepEqual([read.status, read.body.code, read.body.retryable], [503, 'results_unavailable', true]);
  assert.equal(read.body.detail, 'The stored results cannot be used now: The database file cannot be used.');
  const again = await measure(service);
  assert.equal(again.body.cache?.status, 'hit', 'the cache in memory works');
});

test('a database of a newer version stops the start with a sentence', async t => {
  const folder = makeScratchFolder(t);
  const database = openPatiently(folder);
  database.exec('CREATE TABLE future (id); PRAGMA user_version = 99');
  database.close();
  const child = startProcess(t, { args: ['--port', '0'], environment: { DATA_DIR: folder } });
  const [errors, [code]] = await Promise.all([readAll(child.stderr), once(child, 'exit')]);
  assert.equal(code, 2);
  assert.match(errors, /^Rangelight cannot start: .*version 99; this Rangelight supports versions up to \d+\./);
  assert.equal(errors.trim().split('\n').length, 1, errors);
});

test('with DATABASE_URL results are in PostgreSQL', async t => {
  const url = await (await startOwnPostgres(t)).createDatabase();
  const service = await startService(t, { DATABASE_URL: url, PSI_ENDPOINT: fake.endpoint });
  const { body } = await measure(service);
  const { cache: _, ...summary } = body;
  assert.deepEqual((await ask<Result>(service, body.links.self)).body, summary);
  assert.deepEqual([(await readState(service)).store, (await readState(service)).entries], ['postgres', 1]);
  await service.close(0);
  const later = await startService(t, { DATABASE_URL: url, PSI_ENDPOINT: fake.endpoint });
  assert.equal((await measure(later)).body.cache?.status, 'hit');
  assert.equal((await ask<{ cleared: number }>(later, '/cache/clear', { method: 'POST' })).body.cleared, 1);
});
