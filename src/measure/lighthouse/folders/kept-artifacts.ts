import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Traces of heavy pages are some 30 MB; reading one beyond this would take seconds and a gigabyte. */
const maxBytes = 128 * 1024 * 1024;
/** As Lighthouse names them; it writes the third one last: settings, and what is small. */
export const artifactFiles = {
  trace: 'trace.json',
  networkLog: 'devtoolslog.json',
  gathered: 'artifacts.json',
} as const;

/** All that it takes to audit a load again. */
export type ArtifactPaths = Readonly<Record<keyof typeof artifactFiles, string>>;

export type KeptArtifacts = {
  /** A folder for an audit to leave its artifacts in; undefined when there is no room for one. */
  open(): Promise<string | undefined>;
  /**
   * Takes what an audit left in that folder, under an id of ours; undefined when it left nothing whole, or too much.
   */
  take(folder: string): Promise<string | undefined>;
  /** Takes copies of files, which may be packed with gzip; undefined when they cannot be read, or are too much. */
  adopt(packed: ArtifactPaths): Promise<string | undefined>;
  /** For a folder that is not taken. */
  discard(folder: string): Promise<void>;
  /** Undefined when it was released already. */
  find(id: string): string | undefined;
  release(id: string): Promise<void>;
  /** Releases all. */
  close(): Promise<void>;
};

const isWhole = async (folder: string): Promise<boolean> => {
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async name => (await stat(join(folder, name))).size));
  return names.includes(artifactFiles.gathered) && sizes.reduce((sum, size) => sum + size, 0) <= maxBytes;
};

/** By the two bytes that gzip starts with: JSON starts with none of them. */
async function isPacked(source: string): Promise<boolean> {
  const file = await open(source);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.readUInt16BE(0) === 0x1f8b;
  } finally {
    await file.close();
  }
}

/** The worker reads it, which may be another user; the folder lets no one else in. */
async function unpack(source: string, target: string): Promise<void> {
  if (await isPacked(source)) await pipeline(createReadStream(source), createGunzip(), createWriteStream(target));
  else await copyFile(source, target);
  await chmod(target, 0o644);
}

/** Artifacts of audits that may be audited again, each in a folder of its own, until they are released. */
export function createKeptArtifacts({
  makeFolder,
  removeFolder,
}: {
  makeFolder: () => Promise<string>;
  removeFolder: (folder: string) => Promise<void>;
}): KeptArtifacts {
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
    open,
    take,
    async adopt(packed) {
      const folder = await open();
      if (folder === undefined) return undefined;
      const names = Object.keys(artifactFiles) as (keyof ArtifactPaths)[];
      const unpacking = names.map(name => unpack(packed[name], join(folder, artifactFiles[name])));
      const unpacked = await Promise.allSettled(unpacking);
      if (unpacked.every(({ status }) => status === 'fulfilled')) return take(folder);
      await removeFolder(folder);
      return undefined;
    },
    discard: removeFolder,
    find: id => folders.get(id),
    release,
    async close() {
      await Promise.all([...folders.keys()].map(release));
    },
  };
}
