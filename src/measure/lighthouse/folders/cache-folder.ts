/**
 * Finds the folder for data that is created once per machine and shared by all services of a user: the unpacked
 * browser, and compiled code.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const isOurs = async (folder: string): Promise<boolean> => {
  const { uid, mode } = await stat(folder);
  return uid === process.getuid?.() && (mode & 0o022) === 0;
};

/**
 * Returns candidates for the folder. If the service runs as root, the folder must be readable by the unprivileged user
 * of workers, who cannot read root's home.
 */
const cacheFolders = (cacheHome: string | undefined): string[] => {
  const home = cacheHome ?? join(homedir(), '.cache');
  const uid = process.getuid?.() ?? 0;
  return [
    ...(uid === 0 ? ['/var/cache/rangelight'] : [join(home, 'rangelight')]),
    join(tmpdir(), `rangelight-cache-${uid}`),
  ];
};

/** Returns a folder that only its owner can write to. @throws if there is none */
export async function findCacheFolder(cacheHome: string | undefined): Promise<string> {
  const candidates = cacheFolders(cacheHome);
  for (const folder of candidates) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o755 });
      if (await isOurs(folder)) return folder;
    } catch {
      // This candidate is not writable; the next one may be.
    }
  }
  throw new Error(`no folder to unpack the browser to: tried ${candidates.join(', ')}`);
}

const abandonedMs = 3_600_000;

/** Removes folders whose process was killed while it filled them, because each may take 215 MB. Never throws. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(dirname(folder)).catch(() => []);
  const halves = names.filter(name => name.startsWith(`${basename(folder)}.`)).map(name => join(dirname(folder), name));
  for (const half of halves) {
    const { mtimeMs } = await stat(half).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > abandonedMs) await rm(half, { recursive: true, force: true }).catch(() => {});
  }
}

/**
 * Creates and fills a folder unless it exists. The folder appears only when complete, even if several services create
 * it at the same time.
 * @throws the errors of `fill`, or if the disk is full
 */
export async function createWhole(folder: string, fill: (half: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  await removeAbandoned(folder);
  const half = `${folder}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(half, { mode: 0o755 });
    await fill(half);
    await rename(half, folder);
  } catch (error) {
    await rm(half, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
