/**
 * A short path to a folder: a link to it where paths are short. An installed Chrome makes a socket below its TMPDIR and
 * does not start when the path of that has more than 107 bytes (macOS: 103).
 */
import { lstat, readdir, readlink, rm, stat, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** What comes below: `/audit-XXXXXX`, then Chrome's own `/org.chromium.Chromium.XXXXXX/SingletonSocket`. */
const maxFolderBytes = 103 - 13 - 44;

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
 * The folder itself where its path is short, or where no link can be made: then only an installed Chrome does not
 * start, and says why. A link that is there is taken; one that is gone is made again.
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
 * Removes links of ours to folders that are gone. One that is missed is made again.
 * @param isName how such folders are called
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
