/** Faults of a database file. Answers never wait for it, nothing crashes, and the store recovers by itself. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import type { StoreEvent } from '../../src/storage/results/fault.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import type { Scope } from '../support/start-service.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { startScript } from './start-script.ts';

async function openStore(scope: Scope, dataDir: string) {
  const schedule = createOwnSchedule();
  const events: StoreEvent[] = [];
  const store = await openResultStore(
    { dataDir },
    { schedule: schedule.schedule, onEvent: event => events.push(event), busyTimeoutMs: 20 },
  );
  scope.after(() => store.close());
  return { store, schedule, events };
}

const fill = { coding: 'zstd', bytes: Buffer.alloc(100_000, 5) };

/** Overwrites a part of a file, and returns the former bytes. */
function damage(path: string, from: number, length: number): Buffer {
  const former = readFileSync(path).subarray(from, from + length);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(former.length, 0xa5), 0, former.length, from);
  closeSync(file);
  return former;
}

test('a database of a newer version stops the start, and is not changed', async t => {
  const dataDir = makeScratchFolder(t);
  const path = join(dataDir, databaseFile);
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE future (id); PRAGMA user_version = 99');
  database.close();
  const former = readFileSync(path);
  await assert.rejects(openStore(t, dataDir), ({ code, message }: Error & { code: string }) => {
    assert.equal(code, 'newer_database');
    assert.match(message, /has version 99; this Rangelight supports versions up to \d+\. .*DATA_DIR/);
    return true;
  });
  assert.deepEqual(readFileSync(path), former);
  assert.deepEqual(readdirSync(dataDir), [databaseFile]);
});

test('nothing is written after a newer program has changed the file', async t => {
  const dataDir = makeScratchFolder(t);
  const { store, schedule } = await openStore(t, dataDir);
  const setVersion = (version: number) => {
    const database = new DatabaseSync(join(dataDir, databaseFile), { timeout: 5000 });
    database.exec(`PRAGMA user_version = ${version}`);
    database.close();
  };
  setVersion(99);
  const entry = buildEntry();
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'newer_database');
  assert.equal((await store.list({})).results.length, 0);
  assert.equal((await store.get(entry.id))?.id, entry.id, 'what waits can be read');
  setVersion(1);
  await schedule.runUntil(() => store.status().isWritable && store.status().waiting === 0);
  assert.equal((await store.get(entry.id))?.id, entry.id);
});

test('a locked database is waited for and stays readable', async t => {
  const dataDir = makeScratchFolder(t);
  const { store, schedule, events } = await openStore(t, dataDir);
  const [before, during, refused] = [buildEntry(), buildEntry(), buildEntry()];
  await store.keep(before);
  const holder = startScript(t, 'hold-lock.ts', join(dataDir, databaseFile));
  await holder.lines.waitFor(1);
  const kept = await store.keep(during);
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'locked');
  assert.equal(kept.fault.message, 'Another process has locked the database.');
  assert.match(kept.fault.detail ?? '', /results\.sqlite: /);
  assert.equal((await store.get(before.id))?.id, before.id);
  const { isReadable, isWritable, waiting, lastFault } = store.status();
  assert.deepEqual([isReadable, isWritable, waiting, lastFault], [true, false, 1, kept.fault]);
  await store.keep(refused);
  assert.equal(await store.forget(refused.id).catch(({ code }) => code), 'locked');
  await assert.rejects(
    store.cache.clear().then(() => store.forgetUrl(before.url)),
    { code: 'locked' },
  );
  await schedule.runNext();
  assert.equal(store.status().isWritable, false);
  holder.child.stdin?.write('go\n');
  await holder.ended;
  await schedule.runUntil(() => store.status().isWritable && store.status().entries === 2);
  assert.equal((await store.get(during.id))?.id, during.id);
  assert.deepEqual(await store.get(refused.id), undefined);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['fault', 'recovered'],
  );
});

test('a file without its header is replaced by one with all its entries, and preserved next to it', async t => {
  const dataDir = makeScratchFolder(t);
  const path = join(dataDir, databaseFile);
  const first = await openStore(t, dataDir);
  const entries = Array.from({ length: 20 }, () => buildEntry({ full: fill }));
  for (const entry of entries) assert.deepEqual(await first.store.keep(entry), { kept: true });
  await first.store.close();
  const header = damage(path, 0, 100);
  const { store, events } = await openStore(t, dataDir);
  const [event] = events;
  assert.ok(event?.event === 'moved_aside' && events.length === 1, JSON.stringify(events));
  assert.match(event.path, /results\.corrupt-.*\.sqlite$/);
  assert.deepEqual([store.status().isWritable, store.status().entries], [true, 20]);
  for (const { id, full } of entries)
    assert.deepEqual([...((await store.full(id))?.bytes ?? [])], [...(full?.bytes ?? [])]);
  const entry = buildEntry();
  assert.deepEqual(await store.keep(entry), { kept: true });
  assert.equal((await store.get(entry.id))?.id, entry.id);
  const file = openSync(event.path, 'r+');
  writeSync(file, header, 0, header.length, 0);
  closeSync(file);
  const moved = new DatabaseSync(event.path, { readOnly: true });
  const found = moved
    .prepare('SELECT results.id FROM results JOIN bodies USING (id)')
    .all()
    .map(({ id }) => id);
  moved.close();
  assert.deepEqual(found.toSorted(), entries.map(({ id }) => id).toSorted());
});

test('a file that is damaged while open is moved aside with its log, and the current entry is stored', async t => {
  const dataDir = makeScratchFolder(t);
  const path = join(dataDir, databaseFile);
  const first = await openStore(t, dataDir);
  for (let at = 0; at < 100; at += 1) await first.store.keep(buildEntry({ full: fill }));
  await first.store.close();
  const { store, events } = await openStore(t, dataDir);
  assert.equal(store.status().entries, 100);
  const last = buildEntry();
  await store.keep(last);
  damage(path, 8192, statSync(path).size);
  const isMoved = () => events.some(({ event }) => event === 'moved_aside');
  const kept: string[] = [];
  for (let at = 0; at < 200 && !isMoved(); at += 1) {
    const entry = buildEntry();
    assert.deepEqual(await store.keep(entry), { kept: true });
    kept.push(entry.id);
    await store.list({ label: 'none' });
    await store.full(entry.id);
  }
  assert.ok(isMoved());
  assert.equal(events.filter(({ event }) => event === 'moved_aside').length, 1);
  assert.equal(
    events.some(({ event }) => event === 'fault'),
    false,
  );
  const entry = buildEntry();
  assert.deepEqual(await store.keep(entry), { kept: true });
  assert.equal((await store.get(entry.id))?.id, entry.id);
  const aside = readdirSync(dataDir).filter(name => name.includes('corrupt'));
  assert.ok(aside.some(name => name.endsWith('.sqlite')) && aside.some(name => name.endsWith('.sqlite-wal')));
});

test('a file that is deleted at run time is created again, with its folder', async t => {
  const dataDir = join(makeScratchFolder(t), 'data');
  const { store, events } = await openStore(t, dataDir);
  await store.keep(buildEntry());
  for (const path of [join(dataDir, databaseFile), dataDir]) {
    rmSync(path, { recursive: true });
    const entry = buildEntry();
    assert.deepEqual(await store.keep(entry), { kept: true });
    assert.deepEqual(
      (await store.list({})).results.map(({ id }) => id),
      [entry.id],
    );
    assert.ok(statSync(join(dataDir, databaseFile)).size > 0);
    assert.equal(store.status().entries, 1);
  }
  await store.close();
  const again = await openStore(t, dataDir);
  assert.equal(again.store.status().entries, 1);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['file_gone', 'file_gone'],
  );
  assert.equal(store.status().lastFault, null);
});

test('a data folder that cannot be created is a fault, until it can', async t => {
  const folder = makeScratchFolder(t);
  const dataDir = join(folder, 'file', 'data');
  writeFileSync(join(folder, 'file'), 'in the way');
  const { store, schedule, events } = await openStore(t, dataDir);
  const { isReadable, isWritable } = store.status();
  assert.deepEqual([isReadable, isWritable], [false, false]);
  const entry = buildEntry();
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting);
  assert.equal(await store.cache.get('key'), undefined);
  await assert.rejects(store.cache.set('key', Buffer.from('value')));
  await assert.rejects(store.list({}));
  rmSync(join(folder, 'file'));
  await schedule.runUntil(() => store.status().isWritable && store.status().entries === 1);
  assert.equal((await store.get(entry.id))?.id, entry.id);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['fault', 'recovered'],
  );
});

test('a thread that ends unexpectedly is restarted, and its unfinished work waits', async t => {
  let thread: Worker | undefined;
  process.once('worker', started => {
    thread = started;
  });
  const { store, schedule } = await openStore(t, makeScratchFolder(t));
  const [before, during] = [buildEntry(), buildEntry()];
  await store.keep(before);
  const keeping = store.keep(during);
  await thread?.terminate();
  await keeping;
  await schedule.runUntil(() => store.status().isWritable && store.status().waiting === 0);
  for (const { id } of [before, during]) assert.equal((await store.get(id))?.id, id);
});

test('only the user who runs the service can read the file', async t => {
  const dataDir = makeScratchFolder(t);
  const { store } = await openStore(t, join(dataDir, 'data'));
  await store.keep(buildEntry());
  for (const ending of ['', '-wal', '-shm'])
    assert.equal(statSync(join(dataDir, 'data', databaseFile) + ending).mode & 0o077, 0, ending);
});

test('the file shrinks after a sweep', async t => {
  const dataDir = makeScratchFolder(t);
  const path = join(dataDir, databaseFile);
  const { store } = await openStore(t, dataDir);
  for (let at = 0; at < 200; at += 1) await store.keep(buildEntry({ full: fill }));
  await store.sweep({ keepDays: 100_000, keepBytes: 2_000_000, keepArtifactBytes: 0 });
  await store.close();
  assert.ok(statSync(path).size < 3_000_000, String(statSync(path).size));
});

test('KEEP_SIZE limits the file, its log, the reserve and all other stored data', async t => {
  const dataDir = makeScratchFolder(t);
  const { store } = await openStore(t, dataDir);
  const keepBytes = 5 * 1024 * 1024;
  const cache = { maxBytes: 256 * 1024 * 1024, maxAgeMs: 60 * 60_000 };
  const sizeOf = () =>
    readdirSync(dataDir)
      .filter(name => !name.endsWith('-shm'))
      .reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);
  // As much data as a service writes between two checks.
  for (let at = 0; at < 300; at += 1) {
    await store.keep(buildEntry({ full: { coding: 'zstd', bytes: randomBytes(60_000) } }));
    await store.cache.set(`page ${at}`, randomBytes(60_000));
    if (at % 5 === 0) await store.sweep({ keepBytes, cache });
    const size = sizeOf();
    assert.ok(size <= keepBytes + 10 * 120_000, `${size} after ${at}`);
  }
  await store.sweep({ keepBytes, cache });
  const size = sizeOf();
  assert.ok(size <= keepBytes && size > keepBytes / 2, String(size));
  assert.ok(store.status().entries > 10, String(store.status().entries));
});

test('a new file gets the limits of the service, not the defaults', async t => {
  const dataDir = makeScratchFolder(t);
  const { store } = await openStore(t, dataDir);
  await store.sweep({ keepDays: 3650 });
  rmSync(join(dataDir, databaseFile));
  await store.keep(buildEntry());
  await store.sweep({ keepDays: 3650 });
  assert.equal(store.status().bounds.keepDays, 3650);
});
