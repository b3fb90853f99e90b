/** docs/upgrade-and-backup.md, "Back up with SQLite": a copy taken while the service runs has all stored results. */
import assert from 'node:assert/strict';
import { cpSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildEntry } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

test('a copy of the file, made while the service runs, starts another service', async t => {
  const [folder, copy] = [makeScratchFolder(t), makeScratchFolder(t)];
  const fake = await startFakePsi(t);
  const settings = { PSI_ENDPOINT: fake.endpoint };
  const service = await startService(t, { ...settings, DATA_DIR: folder });
  const measure = async (name: string) => {
    const page = { url: `https://example.com/${name}`, strategy: 'mobile', label: 'backup' };
    return (await ask<Result>(service, withQuery('/psi', page))).body;
  };
  const kept = [await measure('a'), await measure('b')];
  const database = new DatabaseSync(join(folder, 'results.sqlite'));
  database.exec(`VACUUM INTO '${join(copy, 'results.sqlite')}'`);
  database.close();
  const after = await measure('c');
  const restored = await startService(t, { ...settings, DATA_DIR: copy });
  for (const { id, url } of kept) {
    const { status, body } = await ask<Result>(restored, `/results/${id}`);
    assert.deepEqual([status, body.url], [200, url]);
  }
  assert.equal((await ask(restored, `/results/${after.id}`)).status, 404);
  // The restored service goes on with the stored results.
  const { body: list } = await ask<{ results: unknown[] }>(restored, '/results?label=backup');
  assert.equal(list.results.length, 2);
});

test('artifacts are copied with the file, and a service with another machine-id keeps them', async t => {
  const [folder, copy] = [makeScratchFolder(t), makeScratchFolder(t)];
  const source = join(makeScratchFolder(t), 'trace.json');
  writeFileSync(source, '{"traceEvents":[]}');
  const measuredAtMs = Date.now();
  const entries = [buildEntry({ measuredAtMs }), buildEntry({ measuredAtMs })];
  const gone = buildEntry({ measuredAtMs });
  const store = await openResultStore({ dataDir: folder }, { machineId: 'first' });
  for (const entry of [...entries, gone]) {
    const artifactBytes = await store.takeArtifacts(entry.id, { trace: source });
    await store.keep({ ...entry, artifactBytes });
  }
  // The sweep waits until they are compressed.
  await store.sweep({});
  cpSync(join(folder, 'artifacts'), join(copy, 'artifacts'), { recursive: true });
  await store.forget(gone.id);
  await store.close();
  const database = new DatabaseSync(join(folder, 'results.sqlite'));
  database.exec(`VACUUM INTO '${join(copy, 'results.sqlite')}'`);
  database.close();
  const hoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
  for (const { id } of [...entries, gone]) utimesSync(join(copy, 'artifacts', id), hoursAgo, hoursAgo);
  const restored = await openResultStore({ dataDir: copy }, { machineId: 'second' });
  t.after(() => restored.close());
  await restored.sweep({});
  for (const { id } of entries) assert.ok((await restored.artifacts(id))?.trace);
  assert.equal(await restored.artifacts(gone.id), undefined);
  assert.ok(restored.status().artifactBytes > 0);
});
