import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from './start-service.ts';

/**
 * Sets another folder for temporary files in this process, which the test may remove. Every test file has its own
 * process.
 * @param bytes the minimum length of the folder's path
 */
export async function moveTemporaryFiles(scope: Scope, bytes = 0): Promise<string> {
  const { TMPDIR } = process.env;
  const root = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
  const folder = `${root}/${'x'.repeat(Math.max(1, bytes - root.length - 1))}`;
  await mkdir(folder);
  // The worker's user must be able to enter the folder.
  for (const each of [root, folder]) await chmod(each, 0o755);
  process.env.TMPDIR = folder;
  scope.after(async () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    await rm(root, { recursive: true, force: true });
  });
  return folder;
}
