import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '../../../../test/support/until.ts';
import { createAuditFolders } from './audit-folders.ts';

/** @param bytes min length of its path */
const makeRoot = async (t: TestContext, bytes = 0) => {
  const root = await mkdtemp(join(tmpdir(), 'audit-folders-test-'));
  t.after(() => rm(root, { recursive: true, force: true }));
  if (bytes <= root.length) return root;
  const long = `${root}/${'x'.repeat(Math.max(1, bytes - root.length - 1))}`;
  await mkdir(long);
  return long;
};

const start = (root: string) => {
  const events: string[] = [];
  return { folders: createAuditFolders(root, event => events.push(event)), events };
};

/**
 * Starts a process that creates an audit's folder and notes a child of its own there, and kills it before it can clean
 * up.
 */
async function leaveBehind(t: TestContext, root: string): Promise<{ folder: string; childPid: number }> {
  const script = `
    import { spawn } from 'node:child_process';
    import { createAuditFolders } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'audit-folders.ts')).href)};
    const folders = createAuditFolders(${JSON.stringify(root)}, () => {});
    const folder = await folders.create(undefined);
    const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    folders.noteProcess(child.pid);
    console.log(JSON.stringify({ folder, childPid: child.pid }));
    setInterval(() => {}, 1000);
  `;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await Promise.race([
    once(owner.stdout, 'data'),
    once(owner, 'exit').then(([code]) => assert.fail(`the owner ended with ${code}`)),
  ]);
  const left: { folder: string; childPid: number } = JSON.parse(String(line));
  t.after(() => {
    try {
      process.kill(left.childPid, 'SIGKILL');
    } catch {
      // The process has already ended, as it should.
    }
  });
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  return left;
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('every audit has its own folder, inside one that others may only traverse', async t => {
  const root = await makeRoot(t);
  const { folders } = start(root);
  const [first, second] = await Promise.all([folders.create(undefined), folders.create(undefined)]);
  assert.notEqual(first, second);
  assert.equal(dirname(first), dirname(second));
  assert.equal((await stat(dirname(first))).mode & 0o777, 0o711);
  assert.equal((await stat(first)).mode & 0o777, 0o700);
  await folders.remove(first);
  assert.deepEqual([existsSync(first), existsSync(second)], [false, true]);
  await folders.close();
  assert.deepEqual(await readdir(root), []);
});

test('a folder that was removed externally is created again', async t => {
  const { folders } = start(await makeRoot(t));
  const first = await folders.create(undefined);
  await rm(dirname(first), { recursive: true });
  const again = await Promise.all([folders.create(undefined), folders.create(undefined)]);
  assert.ok(again.every(existsSync));
  assert.equal(dirname(again[0]), dirname(again[1]), 'once for both');
  await folders.close();
});

test('a folder that cannot be removed is retried with the next one', async t => {
  const events: string[] = [];
  let isStuck = true;
  const removeAll = async (folder: string) => {
    if (isStuck) throw new Error('EBUSY');
    await rm(folder, { recursive: true });
  };
  const folders = createAuditFolders(await makeRoot(t), event => events.push(event), { removeAll });
  const stuck = await folders.create(undefined);
  await folders.remove(stuck);
  isStuck = false;
  assert.deepEqual([existsSync(stuck), events], [true, ['an audit left its folder behind']]);
  await folders.create(undefined);
  assert.equal(existsSync(stuck), false);
  await folders.close();
});

for (const bytes of [60, 80, 120, 200])
  test(`folders work under a root of ${bytes} characters: created, swept by the next start, left alone while in use`, async t => {
    const root = await makeRoot(t, bytes);
    const left = await leaveBehind(t, root);
    const { folders } = start(root);
    const folder = await folders.create(undefined);
    await start(root).folders.sweep();
    assert.deepEqual([existsSync(left.folder), existsSync(folder)], [false, true]);
    await folders.close();
    assert.deepEqual(await readdir(root), []);
  });

test('a home folder that cannot be created leaves nothing behind', async t => {
  const root = await makeRoot(t);
  const listen = async () => {
    throw new Error('no socket here');
  };
  const folders = createAuditFolders(root, () => {}, { listen });
  await assert.rejects(folders.create(undefined), { message: 'no socket here' });
  assert.deepEqual(await readdir(root), []);
});

test('a sweep removes the folder of a failed start once it is too old to be running', async t => {
  const root = await makeRoot(t);
  const [old, young, full] = ['0', '1', '2'].map(digit => join(root, `rangelight-0123456${digit}-89ab`));
  const long = new Date(Date.now() - 3_600_000);
  for (const folder of [old, young, full]) await mkdir(join(folder ?? '', 'processes'), { recursive: true });
  await mkdir(join(full ?? '', 'audit-012345'));
  for (const folder of [old, full]) await utimes(folder ?? '', long, long);
  await start(root).folders.sweep();
  assert.deepEqual((await readdir(root)).toSorted(), ['rangelight-01234561-89ab', 'rangelight-01234562-89ab']);
});

test('without disk space there is an error, and the next audit tries again', async t => {
  const root = await makeRoot(t);
  const blocked = join(root, 'blocked');
  await writeFile(blocked, 'a file, not a folder');
  const { folders } = start(blocked);
  await assert.rejects(folders.create(undefined));
  await rm(blocked);
  await mkdir(blocked);
  assert.ok(existsSync(await folders.create(undefined)));
  await folders.close();
});

test('a sweep removes folders of a killed owner, and ends the processes it had recorded', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const root = await makeRoot(t);
  const left = await leaveBehind(t, root);
  assert.ok(existsSync(left.folder) && isRunning(left.childPid));
  const { folders, events } = start(root);
  await folders.sweep();
  assert.deepEqual(await readdir(root), []);
  // A signal takes effect a little after it was sent. A zombie that its new parent has not yet reaped has ended too.
  await until(async () => !isRunning(left.childPid) || (await readState(left.childPid)) === 'Z');
  assert.deepEqual(events, ['removed folders left behind by an ended service']);
});

const readState = async (pid: number): Promise<string> => {
  return /\) (\S)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') Z'))?.[1] ?? 'Z';
};

test('a sweep does not touch folders of a living owner, of others, or without proof', async t => {
  const root = await makeRoot(t);
  const living = start(root);
  const folder = await living.folders.create(undefined);
  const unproven = join(root, 'rangelight-01234567-89ab');
  await mkdir(unproven);
  await mkdir(join(root, 'rangelight-cache-0'));
  const open = join(root, 'rangelight-76543210-ba98');
  await mkdir(open);
  await chmod(open, 0o777);
  const { folders, events } = start(root);
  await folders.sweep();
  assert.ok([folder, unproven, open, join(root, 'rangelight-cache-0')].every(existsSync));
  assert.deepEqual(events, []);
  await living.folders.close();
});

test('a recorded process whose id was reused is not ended', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const root = await makeRoot(t);
  const left = await leaveBehind(t, root);
  await writeFile(join(dirname(left.folder), 'processes', String(left.childPid)), 'another-boot 12345');
  await start(root).folders.sweep();
  assert.ok(isRunning(left.childPid));
});
