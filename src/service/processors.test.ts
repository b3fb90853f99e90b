import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeScratchFolder } from '../../test/support/scratch-folder.ts';
import { readProcessors } from './processors.ts';

test('the limit of the control group or of a parent group applies', async t => {
  const root = makeScratchFolder(t);
  const own = join(root, 'own');
  await mkdir(join(root, 'a/b'), { recursive: true });
  assert.equal(readProcessors(root, own), availableParallelism());
  await writeFile(own, '0::/a/b\n');
  await writeFile(join(root, 'a/b/cpu.max'), 'max 100000\n');
  assert.equal(readProcessors(root, own), availableParallelism());
  await writeFile(join(root, 'a/cpu.max'), '25000 100000\n');
  assert.equal(readProcessors(root, own), 0.25);
  await writeFile(join(root, 'a/b/cpu.max'), '10000 100000\n');
  assert.equal(readProcessors(root, own), 0.1);
  await writeFile(join(root, 'a/b/cpu.max'), 'nonsense 0\n');
  assert.equal(readProcessors(root, own), 0.25);
});

test('version 1 of control groups has the quota and the period in separate files', async t => {
  const root = makeScratchFolder(t);
  const own = join(root, 'own');
  await mkdir(join(root, 'cpu/a'), { recursive: true });
  await writeFile(own, '5:cpuset:/x\n4:cpu,cpuacct:/a\n1:name=systemd:/y\n');
  await writeFile(join(root, 'cpu/cpu.cfs_quota_us'), '-1\n');
  await writeFile(join(root, 'cpu/cpu.cfs_period_us'), '100000\n');
  assert.equal(readProcessors(root, own), availableParallelism());
  await writeFile(join(root, 'cpu/a/cpu.cfs_quota_us'), '30000\n');
  assert.equal(readProcessors(root, own), availableParallelism());
  await writeFile(join(root, 'cpu/a/cpu.cfs_period_us'), '100000\n');
  assert.equal(readProcessors(root, own), 0.3);
  await writeFile(own, '5:cpuset:/a\n');
  assert.equal(readProcessors(root, own), availableParallelism());
});
