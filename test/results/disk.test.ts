/** A disk that is full, or read-only. Only root may mount one: elsewhere these tests are skipped. */
import assert from 'node:assert/strict';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openResultStore } from '../../src/results/open-store.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { mountDisk, run } from './own-disk.ts';

async function openStore(dataDir: string) {
  const schedule = createOwnSchedule();
  const events: string[] = [];
  const store = await openResultStore(
    { dataDir },
    { schedule: schedule.schedule, onEvent: ({ event }) => events.push(event) },
  );
  return { store, schedule, events };
}

const full = { coding: 'zstd', bytes: Buffer.alloc(100_000, 5) };

test('a full disk loses no entry that was acknowledged, and what waits is written when there is room', async t => {
  const disk = mountDisk(t, 4);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const dataDir = join(disk, 'data');
  const filler = join(disk, 'filler');
  const { store, schedule, events } = await openStore(dataDir);
  const before = buildEntry({ full });
  assert.deepEqual(await store.keep(before), { kept: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 16 * 1024));
  const waiting = [1, 2, 3].map(() => buildEntry({ full }));
  for (const entry of waiting) {
    const kept = await store.keep(entry);
    assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'disk_full', JSON.stringify(kept));
  }
  assert.equal((await store.full(before.id))?.bytes.byteLength, 100_000);
  const source = join(makeScratchFolder(t), 'trace.json');
  writeFileSync(source, Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at * 31) % 251)));
  const artifacts = await store.keepArtifacts(before.id, { trace: source });
  assert.ok(!artifacts.kept && artifacts.fault.code === 'disk_full');
  assert.equal(await store.artifacts(before.id), undefined);
  await schedule.runNext();
  assert.deepEqual([store.status().isWritable, store.status().isReadable], [false, true]);
  rmSync(filler);
  await schedule.runUntil(() => store.status().isWritable && store.status().entries === 4);
  for (const { id } of [before, ...waiting]) assert.equal((await store.get(id))?.id, id);
  assert.equal(events.at(-1), 'recovered');
  await store.close();
});

test('a disk that becomes read-only can be read, and is written when it can be again', async t => {
  const disk = mountDisk(t, 8);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const before = buildEntry({ full });
  const first = await openStore(disk);
  await first.store.keep(before);
  await first.store.close();
  run('mount', '-o', 'remount,ro', disk);
  const { store, schedule } = await openStore(disk);
  const entry = buildEntry({ full });
  const kept = await store.keep(entry);
  assert.ok(!kept.kept && kept.isWaiting && kept.fault.code === 'read_only', JSON.stringify(kept));
  assert.equal((await store.full(before.id))?.bytes.byteLength, 100_000);
  assert.deepEqual([store.status().isReadable, store.status().isWritable], [true, false]);
  run('mount', '-o', 'remount,rw', disk);
  await schedule.runUntil(() => store.status().isWritable && store.status().entries === 2);
  assert.equal((await store.get(entry.id))?.id, entry.id);
  await store.close();
});

test('a file and a folder that another user owns can be read', async t => {
  const dataDir = makeScratchFolder(t);
  const before = buildEntry({ full });
  const first = await openStore(dataDir);
  await first.store.keep(before);
  await first.store.close();
  run('chmod', '0555', dataDir);
  run('chmod', '0444', join(dataDir, 'results.sqlite'));
  // Root may write everywhere.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    const { store } = await openStore(dataDir);
    const kept = await store.keep(buildEntry());
    assert.ok(!kept.kept && kept.fault.code === 'read_only', JSON.stringify(kept));
    assert.match(kept.fault.message, /^The database or its folder cannot be written: .*results\.sqlite/);
    assert.equal((await store.get(before.id))?.id, before.id);
    assert.deepEqual([store.status().isReadable, store.status().entries], [true, 1]);
    await store.close();
  } finally {
    if (isRoot) process.seteuid?.(0);
    run('chmod', '0755', dataDir);
  }
});
