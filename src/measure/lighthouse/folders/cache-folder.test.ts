import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWhole } from './cache-folder.ts';

async function makeFolder(t: { after(hook: () => Promise<void>): void }): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

const write = (half: string) => writeFile(join(half, 'content'), 'all of it');

test('a folder is filled once, and appears complete', async t => {
  const root = await makeFolder(t);
  const folder = join(root, 'made');
  await Promise.all([createWhole(folder, write), createWhole(folder, write)]);
  await createWhole(folder, () => assert.fail('it is there'));
  assert.deepEqual(await readdir(root), ['made']);
  assert.deepEqual(await readdir(folder), ['content']);
});

test('a folder that cannot be filled is removed, with the reason', async t => {
  const root = await makeFolder(t);
  const failure = new Error('no room');
  await assert.rejects(
    createWhole(join(root, 'made'), () => Promise.reject(failure)),
    failure,
  );
  assert.deepEqual(await readdir(root), []);
});

test('files of a killed process are removed after an hour, and no others', async t => {
  const root = await makeFolder(t);
  const old = new Date(Date.now() - 2 * 3_600_000);
  for (const name of ['made.0123456789ab', 'made.under-way', 'other.0123456789ab']) await mkdir(join(root, name));
  for (const name of ['made.0123456789ab', 'other.0123456789ab']) await utimes(join(root, name), old, old);
  await createWhole(join(root, 'made'), write);
  assert.deepEqual((await readdir(root)).toSorted(), ['made', 'made.under-way', 'other.0123456789ab']);
});
