import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buildEntry, noonMs } from '../../support/builders/entry.ts';
import { makeScratchFolder } from '../../support/scratch-folder.ts';
import { dayMs, everything, idsOf, keepSeries, listAll, type TestWith } from './steps.ts';

/** Forgetting, and what is bounded. */
export function testRoom(testWith: TestWith, name: string): void {
  testWith('forgets an entry with all that belongs to it', async store => {
    const [entry, other] = [buildEntry(), buildEntry()];
    for (const each of [entry, other]) await store.keep(each);
    assert.equal(await store.forget(entry.id), true);
    assert.equal(await store.get(entry.id), undefined);
    assert.equal(await store.full(entry.id), undefined);
    assert.deepEqual(await listAll(store, {}), [other.id]);
    assert.equal(await store.forget(entry.id), false);
  });

  testWith('forgets a page, however many entries it has', async store => {
    await keepSeries(store, 120);
    const other = buildEntry({ url: 'https://example.com/?' });
    await store.keep(other);
    assert.equal(await store.forgetUrl('https://example.com/'), 120);
    assert.deepEqual(await listAll(store, {}), [other.id]);
    assert.equal(store.status().entries, 1);
  });

  testWith('sweeps what is older than its days', async (store, clock) => {
    const entries = await keepSeries(store, 4, at => ({ measuredAtMs: noonMs + at * dayMs }));
    clock.nowMs = noonMs + 4 * dayMs;
    const swept = await store.sweep({ ...everything, keepDays: 2 });
    assert.deepEqual(swept, { entries: 2, artifacts: 0, fault: null });
    assert.deepEqual(await listAll(store, {}), idsOf(entries.slice(2)).reverse());
  });

  testWith('sweeps the oldest until the rest has room', async store => {
    const full = { coding: 'zstd', bytes: new Uint8Array(100_000) };
    const entries = await keepSeries(store, 60, () => ({ full }));
    const { bytes } = store.status();
    assert.ok(bytes >= 6_000_000 && bytes < 6_300_000, String(bytes));
    const swept = await store.sweep({ ...everything, keepBytes: bytes / 12 });
    assert.deepEqual(swept, { entries: 55, artifacts: 0, fault: null });
    assert.deepEqual(await listAll(store, {}), idsOf(entries.slice(55)).reverse());
    assert.deepEqual([store.status().entries, store.status().bytes], [5, bytes / 12]);
    assert.deepEqual(await store.sweep({ ...everything, keepBytes: 0 }), { entries: 5, artifacts: 0, fault: null });
  });

  testWith('says how much it holds', async store => {
    const { engine, isReadable, isWritable, entries, bytes, waiting, lastFault } = store.status();
    assert.deepEqual([isReadable, isWritable, entries, bytes, waiting, lastFault], [true, true, 0, 0, 0, null]);
    assert.ok(name.toLowerCase().includes(engine));
    await store.keep(buildEntry());
    assert.equal(store.status().entries, 1);
    assert.ok(store.status().bytes > 0);
  });

  testWith('keeps compressed copies of artifacts, and sweeps them apart from entries', async (store, _clock, scope) => {
    const folder = makeScratchFolder(scope);
    const source = join(folder, 'trace.json');
    await writeFile(source, JSON.stringify({ traceEvents: Array.from({ length: 5000 }, (_, ts) => ({ ts })) }));
    const entries = await keepSeries(store, 3);
    for (const { id } of entries)
      assert.deepEqual(await store.keepArtifacts(id, { trace: source, network_log: source }), { kept: true });
    const files = await store.artifacts(entries[2]?.id ?? '');
    assert.ok(files?.trace && files.network_log);
    assert.deepEqual(gunzipSync(await readFile(files.trace.path)), await readFile(source));
    const held = store.status().artifactBytes;
    assert.equal(held, 3 * (files.trace.bytes + files.network_log.bytes));
    const swept = await store.sweep({ ...everything, keepArtifactBytes: held / 3 });
    assert.deepEqual(swept, { entries: 0, artifacts: 2, fault: null });
    assert.equal(store.status().entries, 3);
    const left = await Promise.all(entries.map(async ({ id }) => (await store.artifacts(id)) !== undefined));
    assert.equal(left.filter(Boolean).length, 1);
    assert.equal(store.status().artifactBytes, held / 3);
  });

  testWith('removes the artifacts of what is forgotten', async (store, _clock, scope) => {
    const folder = makeScratchFolder(scope);
    const source = join(folder, 'log.json');
    await writeFile(source, '[]');
    const [one, two] = [buildEntry(), buildEntry()];
    for (const entry of [one, two]) {
      await store.keep(entry);
      await store.keepArtifacts(entry.id, { network_log: source });
    }
    await store.forget(one.id);
    assert.equal(await store.artifacts(one.id), undefined);
    await store.forgetUrl(two.url);
    assert.equal(await store.artifacts(two.id), undefined);
    assert.equal(store.status().artifactBytes, 0);
    const missing = await store.keepArtifacts(one.id, { trace: join(folder, 'none.json') });
    assert.ok(!missing.kept && missing.fault.code === 'unavailable');
    assert.equal(store.status().isWritable, true);
  });

  testWith('keeps no artifacts of what is forgotten while they are copied', async (store, _clock, scope) => {
    const source = join(makeScratchFolder(scope), 'trace.json');
    // Its copy ends when the test says so.
    execFileSync('mkfifo', [source]);
    const entry = buildEntry();
    await store.keep(entry);
    const copying = store.keepArtifacts(entry.id, { trace: source });
    assert.equal(await store.forget(entry.id), true);
    await writeFile(source, '{}');
    const kept = await copying;
    assert.ok(!kept.kept && !kept.isWaiting);
    assert.deepEqual([await store.artifacts(entry.id), store.status().artifactBytes], [undefined, 0]);
    assert.deepEqual(await store.sweep(everything), { entries: 0, artifacts: 0, fault: null });
  });
}
