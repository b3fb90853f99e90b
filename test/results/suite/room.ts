import assert from 'node:assert/strict';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { addNote, listNotes, removeNote } from '../../../src/storage/notes.ts';
import { createResultId } from '../../../src/storage/results/result-id.ts';
import type { ArtifactSources, NewEntry, ResultStore } from '../../../src/storage/results/store.ts';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import {
  dayMs,
  everything,
  idsOf,
  keepSeries,
  listAll,
  minuteMs,
  readStoredAt,
  storeAgo,
  type TestWith,
  writeState,
} from './steps.ts';

/** Removal of entries, and the limits of time and size. */
export function testRoom(testWith: TestWith, name: string): void {
  testWith('an entry is removed with everything that belongs to it', async store => {
    const [entry, other] = [buildEntry(), buildEntry()];
    for (const each of [entry, other]) await store.keep(each);
    assert.equal(await store.forget(entry.id), true);
    assert.equal(await store.get(entry.id), undefined);
    assert.equal(await store.full(entry.id), undefined);
    assert.deepEqual(await listAll(store, {}), [other.id]);
    assert.equal(await store.forget(entry.id), false);
  });

  testWith(
    'notes are listed by page and site, limited by client, and removed with their time',
    async ({ clock, ...store }) => {
      const { database } = store;
      const now = clock.now();
      const toId = (at: number) => createResultId(now + at);
      const note = { client: 'a', host: 'example.com', url: null, text: 'deploy', link: null, atMs: now };
      const page = { ...note, id: toId(1), url: 'https://example.com/a', atMs: now - 10 * dayMs };
      await addNote(database, { ...note, id: toId(0), client: 'b' });
      await addNote(database, page);
      const listed = await listNotes(database, { host: 'example.com', url: 'https://example.com/a', limit: 10 });
      assert.deepEqual(
        listed.map(({ url }) => url),
        [null, page.url],
      );
      const ofOther = await listNotes(database, { host: 'example.com', url: 'https://example.com/b', limit: 10 });
      assert.equal(ofOther.length, 1);
      assert.equal((await listNotes(database, { host: 'example.com', untilMs: now, limit: 10 })).length, 1);
      for (let at = 0; at < 1000; at += 1) await addNote(database, { ...note, id: toId(10 + at), host: 'full' });
      assert.equal((await listNotes(database, { limit: 5000 })).length, 1001, 'the oldest of the client made room');
      await addNote(database, { ...page, id: toId(5000) });
      await store.sweep({ ...everything, keepDays: 2 });
      const left = await listNotes(database, { host: 'example.com', limit: 10 });
      assert.deepEqual(
        left.map(({ url }) => url),
        [null],
      );
      assert.equal(await removeNote(database, left[0]?.id ?? ''), true);
      assert.equal(await removeNote(database, left[0]?.id ?? ''), false);
    },
  );

  testWith('a page is removed, however many entries it has', async store => {
    await keepSeries(store, 120);
    const other = buildEntry({ url: 'https://example.com/?' });
    await store.keep(other);
    assert.equal(await store.forgetUrl('https://example.com/'), 120);
    assert.deepEqual(await listAll(store, {}), [other.id]);
    assert.equal(store.status().entries, 1);
  });

  testWith('a sweep removes results older than the limit of days', async store => {
    const entries = await keepSeries(store, 4);
    for (const [at, { id }] of entries.entries()) await storeAgo(store, id, 4 - at - 0.5);
    const swept = await store.sweep({ ...everything, keepDays: 2 });
    assert.deepEqual(swept, { entries: 2, artifacts: 0, fault: null });
    assert.deepEqual(await listAll(store, {}), idsOf(entries.slice(2)).reverse());
  });

  testWith("results age by the store's clock, whatever the measuring machine's clock", async store => {
    const behind = buildEntry({ measuredAtMs: store.clock.now() - 400 * dayMs });
    const ahead = buildEntry({ measuredAtMs: store.clock.now() + 400 * dayMs });
    for (const entry of [behind, ahead]) await store.keep(entry);
    assert.equal((await store.sweep({ ...everything, keepDays: 90 })).entries, 0);
    for (const { id } of [behind, ahead]) await storeAgo(store, id, 91);
    assert.equal((await store.sweep({ ...everything, keepDays: 90 })).entries, 2);
  });

  testWith('results dated in the future age from now on', async store => {
    const entry = buildEntry();
    await store.keep(entry);
    await store.clock.observe();
    await storeAgo(store, entry.id, -5000);
    await store.sweep(everything);
    assert.ok(Math.abs((await readStoredAt(store, entry.id)) - store.clock.now()) < minuteMs);
  });

  testWith(
    'nothing is removed by age while the time is far from the last seen time, and the status says so',
    async (store, _clock, _scope, reopen) => {
      const old = buildEntry();
      await store.keep(old);
      await storeAgo(store, old.id, 200);
      for (const days of [-100, 100]) {
        await writeState(store, 'seen_at', store.clock.now() + days * dayMs);
        const other = await reopen();
        assert.deepEqual(await other.sweep({ ...everything, keepDays: 90 }), { entries: 0, artifacts: 0, fault: null });
        assert.notEqual(other.status().clockDoubt, null);
      }
    },
  );

  testWith('the configured limits of the store apply until others are set', async (store, _clock, _scope, reopen) => {
    const old = buildEntry();
    await store.keep(old);
    await store.clock.observe();
    await storeAgo(store, old.id, 200);
    await store.sweep({ keepDays: 3650 });
    assert.equal((await store.sweep({})).entries, 0);
    const other = await reopen();
    assert.equal((await other.sweep({ keepBytes: 1e9 })).entries, 0);
    assert.deepEqual([other.status().bounds.keepDays, other.status().bounds.keepBytes], [3650, 1e9]);
    assert.equal((await other.sweep({ keepDays: 90 })).entries, 1);
  });

  testWith(
    'a sweep leaves results to the process that already sweeps, but not forever',
    async (store, _clock, _scope, reopen) => {
      const old = buildEntry();
      await store.keep(old);
      await store.clock.observe();
      await storeAgo(store, old.id, 200);
      const other = await reopen();
      await writeState(store, 'swept_until', store.clock.now() + 5 * minuteMs);
      assert.equal((await other.sweep({ keepDays: 90 })).entries, 0);
      // A time so far ahead that only a wrong clock can have written it.
      await writeState(store, 'swept_until', store.clock.now() + 5000 * minuteMs);
      assert.equal((await other.sweep({ keepDays: 90 })).entries, 1);
    },
  );

  testWith('a sweep removes the oldest results until the rest fits', async store => {
    const full = { coding: 'zstd', bytes: new Uint8Array(100_000) };
    const entries = await keepSeries(store, 60, () => ({ full }));
    for (const [at, { id }] of entries.entries()) await storeAgo(store, id, 10 - at / 10);
    const { bytes } = store.status();
    assert.ok(bytes >= 6_000_000 && bytes < 6_300_000, String(bytes));
    const { entries: removed, fault } = await store.sweep({ ...everything, keepBytes: bytes / 2 });
    // SQLite's log, reserve and empty tables count, too.
    assert.ok(fault === null && removed >= 30 && removed < 48, String(removed));
    assert.deepEqual(await listAll(store, {}), idsOf(entries.slice(removed)).reverse());
    assert.equal(store.status().entries, 60 - removed);
    const swept = await store.sweep({ ...everything, keepBytes: 0 });
    assert.deepEqual(swept, { entries: 60 - removed, artifacts: 0, fault: null });
  });

  testWith('the status has the number and size of entries', async store => {
    const { engine, isReadable, isWritable, entries, bytes, waiting, lastFault } = store.status();
    assert.deepEqual([isReadable, isWritable, entries, bytes, waiting, lastFault], [true, true, 0, 0, 0, null]);
    assert.ok(name.toLowerCase().includes(engine));
    await store.keep(buildEntry());
    assert.equal(store.status().entries, 1);
    assert.ok(store.status().bytes > 0);
  });

  /** Stores an entry with artifacts, as a measurement does. */
  const keepWith = async (store: ResultStore, entry: NewEntry, sources: ArtifactSources): Promise<NewEntry> => {
    const artifactBytes = await store.takeArtifacts(entry.id, sources);
    assert.deepEqual(await store.keep({ ...entry, artifactBytes }), { kept: true });
    return entry;
  };

  testWith('artifacts are stored, compressed, and swept separately from entries', async (store, _clock, scope) => {
    const folder = makeScratchFolder(scope);
    const source = join(folder, 'trace.json');
    await writeFile(source, JSON.stringify({ traceEvents: Array.from({ length: 5000 }, (_, ts) => ({ ts })) }));
    const entries: NewEntry[] = [];
    for (let at = 0; at < 3; at += 1)
      entries.push(
        await keepWith(store, buildEntry({ measuredAtMs: noonMs + at }), { trace: source, network_log: source }),
      );
    const ids = entries.map(({ id }) => id);
    assert.deepEqual(await store.withArtifacts(ids), new Set(ids));
    // The sweep waits until the artifacts are compressed.
    await store.sweep(everything);
    const files = await store.artifacts(ids[2] ?? '');
    assert.ok(files?.trace?.isPacked && files.network_log);
    assert.deepEqual(gunzipSync(await readFile(files.trace.path)), await readFile(source));
    const held = store.status().artifactBytes;
    assert.equal(held, 3 * (files.trace.bytes + files.network_log.bytes));
    const swept = await store.sweep({ ...everything, keepArtifactBytes: held / 3 });
    assert.deepEqual(swept, { entries: 0, artifacts: 2, fault: null });
    assert.equal(store.status().entries, 3);
    const left = await Promise.all(ids.map(async id => (await store.artifacts(id)) !== undefined));
    assert.equal(left.filter(Boolean).length, 1);
    assert.equal((await store.withArtifacts(ids)).size, 1);
    assert.equal(store.status().artifactBytes, held / 3);
  });

  testWith('the artifacts of removed results are removed', async (store, _clock, scope) => {
    const folder = makeScratchFolder(scope);
    const source = join(folder, 'log.json');
    await writeFile(source, '[]');
    const one = await keepWith(store, buildEntry(), { network_log: source });
    const two = await keepWith(store, buildEntry(), { network_log: source });
    await store.forget(one.id);
    assert.equal(await store.artifacts(one.id), undefined);
    await store.forgetUrl(two.url);
    assert.equal(await store.artifacts(two.id), undefined);
    assert.equal(store.status().artifactBytes, 0);
    assert.equal(await store.takeArtifacts(one.id, { trace: join(folder, 'none.json') }), undefined);
    assert.equal(store.status().isWritable, true);
  });

  testWith('only a regular file is accepted as an artifact', async (store, _clock, scope) => {
    const folder = makeScratchFolder(scope);
    await writeFile(join(folder, 'secret'), 'of somebody else');
    await symlink(join(folder, 'secret'), join(folder, 'trace.json'));
    const { id } = buildEntry();
    assert.equal(await store.takeArtifacts(id, { trace: join(folder, 'trace.json') }), undefined);
    assert.equal(await store.artifacts(id), undefined);
  });
}
