/**
 * Creates short paths to folders: links in folders with short names. An installed Chrome creates a socket below its
 * TMPDIR, and does not start if the path has more than 107 bytes (macOS: 103).
 */
import { lstat, readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Max length of a path before the suffixes `/audit-XXXXXX` and Chrome's
 * `/org.chromium.Chromium.XXXXXX/SingletonSocket`.
 */
const maxFolderBytes = 103 - 13 - 45;

const usualShortFolders = ['/tmp', '/var/tmp', '/dev/shm'] as const;

const isSame = async (path: string, other: string): Promise<boolean> => {
  try {
    const [a, b] = await Promise.all([stat(path), stat(other)]);
    return a.ino === b.ino && a.dev === b.dev;
  } catch {
    return false;
  }
};

/**
 * Returns a short path. If no link can be created, returns the folder itself: only an installed Chrome then fails to
 * start, with a message. An existing link is reused; a removed one is created again.
 */
export async function toShortPath(folder: string, shortFolders: readonly string[] = usualShortFolders) {
  if (Buffer.byteLength(folder) <= maxFolderBytes) return folder;
  for (const short of shortFolders) {
    const alias = join(short, basename(folder));
    await symlink(folder, alias).catch(() => {});
    if (await isSame(alias, folder)) return alias;
  }
  return folder;
}

export async function removeAlias(folder: string, shortFolders: readonly string[] = usualShortFolders): Promise<void> {
  for (const short of shortFolders) {
    const alias = join(short, basename(folder));
    if ((await readlink(alias).catch(() => undefined)) === folder) await rm(alias, { force: true }).catch(() => {});
  }
}

/**
 * Removes links of this user to missing folders. A link that is still needed will be created again.
 * @param isName pattern of the names of such folders
 */
export async function sweepAliases(isName: RegExp, shortFolders: readonly string[] = usualShortFolders): Promise<void> {
  for (const short of shortFolders) {
    const names = await readdir(short).catch(() => []);
    for (const name of names.filter(name => isName.test(name))) {
      const alias = join(short, name);
      const facts = await lstat(alias).catch(() => undefined);
      const isOurs = facts?.isSymbolicLink() && facts.uid === process.getuid?.();
      if (isOurs && !(await stat(alias).catch(() => undefined))) await rm(alias, { force: true }).catch(() => {});
    }
  }
}
