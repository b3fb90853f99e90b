import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { removeAlias } from './folder-alias.ts';
import { askSocket, listenIn } from './folder-socket.ts';

/** Creates an empty folder whose path has this many bytes. */
async function makeFolder(t: TestContext, bytes: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'socket-'));
  const name = basename(root);
  const folder = join(root, 'x'.repeat(Math.max(1, bytes - root.length - name.length - 2)), name);
  await mkdir(folder, { recursive: true });
  t.after(async () => {
    await removeAlias(folder);
    await rm(root, { recursive: true, force: true });
  });
  return folder;
}

for (const bytes of [60, 200])
  test(`a socket in a folder with a path of ${bytes} bytes is answered, abandoned or missing`, async t => {
    const folder = await makeFolder(t, bytes);
    assert.equal(await askSocket(folder, 'alive'), 'missing');
    const socket = await listenIn(folder, 'alive');
    assert.deepEqual([await readdir(folder), await askSocket(folder, 'alive')], [['alive'], 'answered']);
    socket.close();
    assert.deepEqual(await readdir(folder), []);
    await writeFile(join(folder, 'alive'), 'no socket');
    assert.equal(await askSocket(folder, 'alive'), 'abandoned');
  });

for (const bytes of [60, 76, 77, 97, 98, 120, 200, 255])
  test(`a folder with a path of ${bytes} bytes can contain a socket`, async t => {
    const folder = await makeFolder(t, bytes);
    const socket = await listenIn(folder, 'alive');
    assert.equal(await askSocket(folder, 'alive'), 'answered');
    socket.close();
    assert.equal(await askSocket(folder, 'alive'), 'missing');
  });

test('a socket that cannot be created names the folder', async t => {
  const folder = await makeFolder(t, 200);
  await writeFile(join(folder, 'alive'), '');
  await assert.rejects(listenIn(folder, 'alive'), (error: Error) => error.message.includes(folder));
});

test('a socket keeps no process alive, and closes its connections', async t => {
  const folder = await makeFolder(t, 60);
  const socket = await listenIn(folder, 'alive');
  await once(connect(join(folder, 'alive')).resume(), 'close');
  socket.close();
});
