import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultStore } from '../../storage/results/store.ts';
import { sweepByTimer } from './open-records.ts';

test('the sweep runs at the start, every 15 minutes, and soon after 2 % of KEEP_SIZE has been written', async t => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const bounds = { keepBytes: 5_000_000, keepArtifactBytes: 1_000_000 };
  const status = { writtenBytes: 0, artifactBytes: 0, isWritable: true, bounds };
  let sweeps = 0;
  const store = {
    status: () => status,
    sweep: async () => {
      sweeps += 1;
    },
  } as unknown as ResultStore;
  const { stop } = sweepByTimer(store, {});
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    await Promise.resolve();
    await Promise.resolve();
  };
  await pass(0);
  assert.equal(sweeps, 1);
  status.writtenBytes = 100_000;
  await pass(60_000);
  assert.equal(sweeps, 1);
  status.writtenBytes = 100_001;
  await pass(5000);
  await pass(5000);
  assert.equal(sweeps, 2);
  await pass(15 * 60_000);
  assert.equal(sweeps, 3);
  status.artifactBytes = 1_020_001;
  await pass(5000);
  assert.equal(sweeps, 4);
  status.isWritable = false;
  status.writtenBytes = 10_000_000;
  await pass(5000);
  assert.equal(sweeps, 4);
  stop();
  await pass(60 * 60_000);
  assert.equal(sweeps, 4);
});
