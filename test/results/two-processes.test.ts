/** Several services on one SQLite file are safe, as when a command opens the file that a service uses. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { isResultId } from '../../src/storage/results/result-id.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { killWriters } from './kill-rounds.ts';
import { startScript } from './start-script.ts';

test('three processes that open a new file at once lose nothing', async t => {
  const dataDir = makeScratchFolder(t);
  const writers = [1, 2, 3].map(() => startScript(t, 'write-entries.ts', dataDir, '40'));
  await Promise.all(writers.map(({ ended }) => ended));
  const ids = writers.flatMap(({ lines }) => lines.all.filter(isResultId));
  assert.equal(ids.length, 120, JSON.stringify(writers.map(({ lines }) => lines.all.slice(-3))));
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  const found = new Set((await store.list({ limit: 1000 })).results.map(({ id }) => id));
  assert.deepEqual(new Set(ids), found);
});

test('one process sweeps and removes while another writes', async t => {
  const dataDir = makeScratchFolder(t);
  const store = await openResultStore({ dataDir });
  t.after(() => store.close());
  const { lines, ended } = startScript(t, 'write-entries.ts', dataDir, '60');
  for (let seen = 10; seen <= 50; seen += 10) {
    await lines.waitFor(seen);
    const { fault } = await store.sweep({ keepDays: 100_000, keepBytes: 1_000_000, keepArtifactBytes: 0 });
    assert.ok(fault === null || fault.code === 'locked', fault?.message);
  }
  await ended;
  assert.equal(lines.all.filter(isResultId).length, 60);
  assert.equal((await store.sweep({ keepDays: 100_000, keepBytes: 0, keepArtifactBytes: 0 })).fault, null);
  assert.deepEqual((await store.list({})).results, []);
});

test('a few kills during writes lose no acknowledged entry', t => killWriters(t, 5));
