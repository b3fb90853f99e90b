import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeScratchFolder } from '../../test/support/scratch-folder.ts';
import { readProcessors } from './processors.ts';

test('a limit of the control group, or of one above it, counts', async t => {
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
