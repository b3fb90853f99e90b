import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { askSocket, listenIn, toLink, toOpenFile } from './folder-socket.ts';

/** Creates an empty folder whose path has this many bytes. */
async function makeFolder(t: TestContext, bytes: number): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'socket-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  const folder = `${root}/${'x'.repeat(Math.max(1, bytes - root.length - 1))}`;
  await mkdir(folder);
  return folder;
}

const ways = [
  ['its own path', async (folder: string) => ({ path: folder, close: async () => {} }), 60],
  ['an open file', toOpenFile, 200],
  ['a link', (folder: string) => toLink(folder), 200],
] as const;

for (const [name, toShort, bytes] of ways)
  test(`a socket in a folder is distinguished by ${name}: answered, abandoned, missing`, async t => {
    if (toShort === toOpenFile && !existsSync('/proc/self/fd')) return t.skip('skipped: there is no /proc');
    const folder = await makeFolder(t, bytes);
    assert.equal(await askSocket(folder, 'alive', toShort), 'missing');
    const socket = await listenIn(folder, 'alive', toShort);
    assert.deepEqual([await readdir(folder), await askSocket(folder, 'alive', toShort)], [['alive'], 'answered']);
    await socket.close();
    assert.deepEqual(await readdir(folder), []);
    await writeFile(join(folder, 'alive'), 'no socket');
    assert.equal(await askSocket(folder, 'alive', toShort), 'abandoned');
  });

test('a long path and a short one lead to the same socket', async t => {
  const folder = await makeFolder(t, 60);
  const server = createServer(socket => socket.destroy()).listen(join(folder, 'alive'));
  t.after(() => void server.close());
  await once(server, 'listening');
  assert.equal(await askSocket(folder, 'alive', folder => toLink(folder)), 'answered');
});

for (const bytes of [60, 76, 77, 97, 98, 120, 200, 255])
  test(`a folder with a path of ${bytes} bytes can contain a socket`, async t => {
    const folder = await makeFolder(t, bytes);
    const socket = await listenIn(folder, 'alive');
    assert.equal(await askSocket(folder, 'alive'), 'answered');
    await socket.close();
    assert.equal(await askSocket(folder, 'alive'), 'missing');
  });

test('a socket that cannot be created names the folder, and its link is removed', async t => {
  const folder = await makeFolder(t, 200);
  const holder = await makeFolder(t, 40);
  await writeFile(join(folder, 'alive'), '');
  await assert.rejects(
    listenIn(folder, 'alive', long => toLink(long, holder)),
    (error: Error) => error.message.includes(folder),
  );
  assert.deepEqual(await readdir(holder), []);
});

test('a socket keeps no process alive, and closes its connections', async t => {
  const folder = await makeFolder(t, 60);
  const socket = await listenIn(folder, 'alive');
  await once(connect(join(folder, 'alive')).resume(), 'close');
  await socket.close();
});
