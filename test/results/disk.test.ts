/** A disk that is full, or read-only. Only root may mount one; for other users these tests are skipped. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openResultStore, reserveFile } from '../../src/storage/results/open-store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { until } from '../support/until.ts';
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

test('a full disk loses no acknowledged entry, and pending entries are written when there is space', async t => {
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
  assert.equal(await store.takeArtifacts(before.id, { trace: source }), undefined);
  assert.equal(await store.artifacts(before.id), undefined);
  await schedule.runNext();
  assert.deepEqual([store.status().isWritable, store.status().isReadable], [false, true]);
  rmSync(filler);
  await schedule.runUntil(() => store.status().isWritable && store.status().entries === 4);
  for (const { id } of [before, ...waiting]) assert.equal((await store.get(id))?.id, id);
  assert.equal(events.at(-1), 'recovered');
  await store.close();
});

/** Fills the disk to the last byte. Deleted files may still free blocks meanwhile, so this writes until one write fails. */
function fillUp(disk: string): void {
  const block = Buffer.alloc(statfsSync(disk).bsize);
  const fill = (): never => {
    for (;;) appendFileSync(join(disk, 'filler'), block);
  };
  assert.throws(fill, { code: 'ENOSPC' });
}

const json = { 'content-type': 'application/json' };

test('space on a full disk is freed through the service: results, pages, jobs, schedules and the cache', async t => {
  const disk = mountDisk(t, 24);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const fake = await startFakePsi(t);
  const service = await startService(t, { DATA_DIR: join(disk, 'data'), PSI_ENDPOINT: fake.endpoint });
  const reserve = join(disk, 'data', reserveFile);
  await until(() => existsSync(reserve) && statSync(reserve).size === 8 * 1024 * 1024);
  const measure = async (name: string) => {
    const path = withQuery('/psi', { url: `https://example.com/${name}`, strategy: 'mobile' });
    return (await ask<{ id: string }>(service, path)).body.id;
  };
  const ids = [await measure('a'), await measure('b'), await measure('c')];
  const urls = ['https://example.com/job'];
  const post = (path: string, headers: Record<string, string>, body: object) =>
    ask<{ id: string; state: string }>(service, path, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify(body),
    });
  const job = (await post('/psi', { prefer: 'respond-async' }, { urls, strategy: 'mobile' })).body.id;
  await until(async () => (await ask<{ state: string }>(service, `/jobs/${job}`)).body.state === 'succeeded');
  const cron = { cron: '0 3 * * *', strategy: 'mobile' };
  const schedule = (await post('/schedules', {}, { urls, ...cron })).body.id;
  const release = fake.hold();
  const calls = fake.calls.all.length;
  const running = (await post('/psi', { prefer: 'respond-async' }, { urls: ['https://example.com/x'] })).body.id;
  await fake.calls.waitFor(calls + 1);
  fillUp(disk);
  const remove = async (path: string) => (await fetch(service.url + path, { method: 'DELETE' })).status;
  assert.equal(await remove(`/results/${ids[0]}`), 200);
  assert.equal(await remove(withQuery('/results', { url: 'https://example.com/b' })), 200);
  assert.equal(await remove(`/jobs/${job}`), 200);
  assert.equal(await remove(`/jobs/${running}`), 200);
  assert.equal((await ask<{ state: string }>(service, `/jobs/${running}`)).body.state, 'cancelled');
  release();
  assert.equal(await remove(`/schedules/${schedule}`), 200);
  assert.equal((await post('/cache/clear', {}, {})).status, 200);
  for (const [path, status] of [
    [`/results/${ids[0]}`, 404],
    [`/results/${ids[1]}`, 404],
    [`/results/${ids[2]}`, 200],
    [`/jobs/${job}`, 404],
    [`/schedules/${schedule}`, 404],
  ] as const)
    assert.equal((await ask(service, path)).status, status, path);
  assert.ok(statSync(reserve).size > 7 * 1024 * 1024, String(statSync(reserve).size));
});

test('if the reserve is not enough, artifacts are removed first, and the disk has space again', async t => {
  const disk = mountDisk(t, 12);
  if (disk === undefined) return t.skip('mounting is not permitted here');
  const dataDir = join(disk, 'data');
  const { store } = await openStore(dataDir);
  const source = join(makeScratchFolder(t), 'trace.json');
  writeFileSync(source, randomBytes(400_000));
  const entries = Array.from({ length: 8 }, () => buildEntry({ full }));
  for (const { id, ...entry } of entries) {
    const artifactBytes = await store.takeArtifacts(id, { trace: source });
    assert.deepEqual(await store.keep({ id, ...entry, artifactBytes }), { kept: true });
  }
  // The store was never swept, so there is no reserve.
  assert.equal(existsSync(join(dataDir, reserveFile)), false);
  fillUp(disk);
  assert.equal(await store.forgetUrl(entries[0]?.url ?? ''), 8);
  assert.equal(store.status().entries, 0);
  assert.deepEqual(await store.keep(buildEntry({ full })), { kept: true });
  await store.close();
});

for (const [how, isRestarted] of [
  ['while the service runs', false],
  ['after a start on one', true],
] as const)
  test(`space on a full disk is freed by a sweep and by removal, ${how}`, async t => {
    const disk = mountDisk(t, 24);
    if (disk === undefined) return t.skip('mounting is not permitted here');
    const dataDir = join(disk, 'data');
    const first = await openStore(dataDir);
    for (let at = 0; at < 60; at += 1) await first.store.keep(buildEntry({ full }));
    await first.store.sweep({ keepDays: 3650 });
    if (isRestarted) await first.store.close();
    fillUp(disk);
    const { store } = isRestarted ? await openStore(dataDir) : first;
    const { entries, fault } = await store.sweep({ keepBytes: 5_000_000 });
    assert.ok(fault === null && entries > 10 && entries < 60, JSON.stringify({ entries, fault }));
    const late = buildEntry({ full });
    assert.deepEqual(await store.keep(late), { kept: true });
    rmSync(join(disk, 'filler'));
    fillUp(disk);
    assert.equal(await store.forget(late.id), true);
    await store.close();
  });

test('a read-only disk can be read, and is written once it is writable', async t => {
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
  try {
    // The user id applies to a whole process, so this runs in a separate one.
    run(process.execPath, fileURLToPath(import.meta.resolve('./read-of-another-user.ts')), dataDir, before.id);
  } finally {
    run('chmod', '0755', dataDir);
  }
});
