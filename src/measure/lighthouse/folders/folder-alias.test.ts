import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeAlias, sweepAliases, toShortPath } from './folder-alias.ts';

const isName = /^home-\d$/;

/** Creates a home in a folder with a long path, and two folders with shorter paths for links. */
async function makeFolders(t: TestContext) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'alias-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const long = join(root, 'x'.repeat(100));
  const [first, second] = [join(root, '1'), join(root, '2')];
  for (const folder of [long, first, second]) await mkdir(folder);
  const home = join(long, 'home-1');
  await mkdir(home);
  return { long, first, second, home };
}

test('a short path is not changed', async t => {
  const { first, home } = await makeFolders(t);
  assert.equal(await toShortPath('/tmp/rangelight-01234567-89ab', [first]), '/tmp/rangelight-01234567-89ab');
  assert.deepEqual(await readdir(first), []);
  assert.ok(home.length > 46);
});

test('a long path gets a link, once, and again if the link is gone', async t => {
  const { first, second, home } = await makeFolders(t);
  const alias = await toShortPath(home, [first, second]);
  assert.equal(alias, join(first, 'home-1'));
  await writeFile(join(alias, 'file'), '');
  assert.deepEqual(await readdir(home), ['file']);
  assert.equal(await toShortPath(home, [first, second]), alias);
  await rm(alias);
  assert.equal(await toShortPath(home, [first, second]), alias);
  assert.deepEqual(await readdir(second), []);
  await removeAlias(home, [first, second]);
  assert.deepEqual([await readdir(first), existsSync(join(home, 'file'))], [[], true]);
});

test('if the name is taken, or nothing can be written, the next folder is used', async t => {
  const { long, first, second, home } = await makeFolders(t);
  await mkdir(join(first, 'home-1'));
  assert.equal(await toShortPath(home, [join(long, 'nowhere'), first, second]), join(second, 'home-1'));
  await removeAlias(home, [first, second]);
  assert.ok(existsSync(join(first, 'home-1')), 'what is not ours stays');
  assert.equal(await toShortPath(home, []), home);
});

test('a sweep removes links to folders that are gone, and no others', async t => {
  const { long, first, home } = await makeFolders(t);
  await symlink(home, join(first, 'home-1'));
  await symlink(join(long, 'home-2'), join(first, 'home-2'));
  await symlink(join(long, 'other'), join(first, 'other'));
  await mkdir(join(first, 'home-3'));
  await sweepAliases(isName, [join(long, 'nowhere'), first]);
  assert.deepEqual((await readdir(first)).toSorted(), ['home-1', 'home-3', 'other']);
});
