import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeScratchFolder } from '../../test/support/scratch-folder.ts';
import { readBootId } from './machine-id.ts';

test('the id of a machine is a hash that is the same for every process', async t => {
  const path = join(makeScratchFolder(t), 'boot_id');
  assert.equal(readBootId(path), undefined);
  await writeFile(path, 'c1f0f4de-0000-4000-8000-000000000000\n');
  assert.match(readBootId(path) ?? '', /^[0-9a-f]{16}$/);
  assert.equal(readBootId(path), readBootId(path));
  await writeFile(path, '\n');
  assert.equal(readBootId(path), undefined);
});
