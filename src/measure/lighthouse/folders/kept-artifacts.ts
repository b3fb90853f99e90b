import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/**
 * Max size of all files of a load. Heavy pages have traces of about 30 MB; reading more than this limit would take
 * seconds and a gigabyte of memory.
 */
const maxBytes = 128 * 1024 * 1024;
/** Lighthouse's file names. The third file, with settings and small artifacts, is written last. */
export const artifactFiles = {
  trace: 'trace.json',
  networkLog: 'devtoolslog.json',
  gathered: 'artifacts.json',
} as const;

/** All files for auditing a load again. */
export type ArtifactPaths = Readonly<Record<keyof typeof artifactFiles, string>>;

/** Audits without metrics, such as those of SEO, record no trace. */
const isWhole = async (folder: string): Promise<boolean> => {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async name => (await stat(join(folder, name))).size));
  const hasAll = Object.values(artifactFiles).every(name => names.includes(name));
  return hasAll && sizes.reduce((sum, size) => sum + size, 0) <= maxBytes;
};

/** Recognises gzip by its first two bytes, which JSON never starts with. */
async function isPacked(source: string): Promise<boolean> {
  const file = await open(source);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.readUInt16BE(0) === 0x1f8b;
  } finally {
    await file.close();
  }
}

/** Unpacks a file for the worker, which may run as another user. Other users cannot access the folder. */
async function unpack(source: string, target: string): Promise<void> {
  if (await isPacked(source)) await pipeline(createReadStream(source), createGunzip(), createWriteStream(target));
  else await copyFile(source, target);
  await chmod(target, 0o644);
}

/** Stores artifacts, which may be audited again until they are released. Each set has its own folder. */
export function createKeptArtifacts({
  makeFolder,
  removeFolder,
}: {
  makeFolder: () => Promise<string>;
  removeFolder: (folder: string) => Promise<void>;
}) {
  const folders = new Map<string, string>();

  const release = async (id: string): Promise<void> => {
    const folder = folders.get(id);
    folders.delete(id);
    if (folder) await removeFolder(folder);
  };

  const open = () => makeFolder().catch(() => undefined);

  async function take(folder: string): Promise<string | undefined> {
    if (!(await isWhole(folder).catch(() => false))) {
      await removeFolder(folder);
      return undefined;
    }
    const id = randomUUID();
    folders.set(id, folder);
    return id;
  }

  return {
    /** Creates a folder in which an audit stores its artifacts; undefined if that fails, for instance on a full disk. */
    open,
    /** Registers the artifacts in that folder under an id; undefined if they are incomplete or too large. */
    take,
    /** Copies artifacts, which may be compressed with gzip; undefined if they cannot be read or are too large. */
    async adopt(packed: ArtifactPaths): Promise<string | undefined> {
      const folder = await open();
      if (folder === undefined) return undefined;
      const names = Object.keys(artifactFiles) as (keyof ArtifactPaths)[];
      const unpacking = names.map(name => unpack(packed[name], join(folder, artifactFiles[name])));
      const unpacked = await Promise.allSettled(unpacking);
      if (unpacked.every(({ status }) => status === 'fulfilled')) return take(folder);
      await removeFolder(folder);
      return undefined;
    },
    /** Removes a folder that was not registered. */
    discard: removeFolder,
    /** Returns the folder of the artifacts; undefined once they are released. */
    find: (id: string): string | undefined => folders.get(id),
    release,
    /** Releases all artifacts. */
    async close(): Promise<void> {
      await Promise.all([...folders.keys()].map(release));
    },
  };
}
