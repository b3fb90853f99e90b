/** Files of the store: traces and network logs, in one folder per entry. They are compressed after the response. */
import { randomUUID } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isResultId } from './result-id.ts';
import {
  type ArtifactFile,
  type ArtifactFiles,
  type ArtifactName,
  type ArtifactSources,
  artifactNames,
} from './store.ts';

/** Min age of a folder without an entry before its removal. A younger one may still be written. */
const orphanAgeMs = 60 * 60_000;
const partEnding = '.part';
/** Retries the removal of a folder into which a file may still be written. */
const whileFilled = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 };

export type ArtifactFolder = {
  /** Copies files unchanged, and returns their size in bytes. */
  take(id: string, sources: ArtifactSources): Promise<number>;
  /** Compresses the files of an entry, and returns their size and its change in bytes, which is usually negative. */
  pack(id: string): Promise<{ bytes: number; change: number }>;
  /** Returns the ids of folders with uncompressed files. */
  unpacked(): Promise<string[]>;
  find(id: string): Promise<ArtifactFiles | undefined>;
  remove(ids: readonly string[]): Promise<void>;
  /** Returns the ids of folders that are at least an hour old. */
  old(nowMs: number): Promise<string[]>;
};

const fileOf = (name: ArtifactName): string => `${name}.json.gz`;
const rawFileOf = (name: ArtifactName): string => `${name}.json`;

/** Creates a hard link, which takes no space. If the disk or the permissions do not allow it, copies the file. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  if (!(await lstat(source)).isFile()) throw new TypeError('an artifact that is no file');
  await link(source, target).catch(() => copyFile(source, target, constants.COPYFILE_FICLONE));
  // The file behind the name may have changed in the meantime.
  if (!(await lstat(target)).isFile()) throw new TypeError('an artifact that is no file');
}

/** Copies all files into a folder. It gets its final name when every file is complete. @returns their size in bytes */
async function takeAll(part: string, sources: ArtifactSources): Promise<number> {
  let bytes = 0;
  for (const name of artifactNames) {
    const source = sources[name];
    if (source === undefined) continue;
    const target = join(part, rawFileOf(name));
    await linkOrCopy(source, target);
    bytes += (await stat(target)).size;
  }
  return bytes;
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size;

async function toFile(folder: string, name: ArtifactName): Promise<ArtifactFile | undefined> {
  const toPacked = async () => {
    const path = join(folder, fileOf(name));
    const bytes = await sizeOf(path);
    return bytes === undefined ? undefined : { path, bytes, isPacked: true };
  };
  const path = join(folder, rawFileOf(name));
  const packed = await toPacked();
  if (packed) return packed;
  const bytes = await sizeOf(path);
  // The file may have been compressed between the two checks.
  return bytes === undefined ? toPacked() : { path, bytes, isPacked: false };
}

/**
 * Compresses a file. The raw file remains until the compressed one is complete.
 * @returns the size of the raw file in bytes
 */
async function packFile(folder: string, name: ArtifactName): Promise<number | undefined> {
  const raw = join(folder, rawFileOf(name));
  const bytes = await sizeOf(raw);
  if (bytes === undefined) return undefined;
  const part = join(folder, `${fileOf(name)}.${randomUUID()}`);
  await pipeline(createReadStream(raw), createGzip(), createWriteStream(part, { mode: 0o600 }));
  await rename(part, join(folder, fileOf(name)));
  await rm(raw, { force: true });
  return bytes;
}

export function createArtifactFolder(root: string): ArtifactFolder {
  const folderOf = (id: string): string => {
    // The id becomes part of a path, which may be removed.
    if (!isResultId(id)) throw new TypeError('not the id of an entry');
    return join(root, id);
  };

  return {
    async take(id, sources) {
      const folder = folderOf(id);
      const part = folder + partEnding;
      try {
        await rm(part, { recursive: true, force: true });
        await mkdir(part, { recursive: true, mode: 0o700 });
        const bytes = await takeAll(part, sources);
        await rm(folder, { recursive: true, force: true });
        await rename(part, folder);
        return bytes;
      } catch (error) {
        await rm(part, { recursive: true, force: true }).catch(() => {});
        throw error;
      }
    },
    async pack(id) {
      const packed = { bytes: 0, change: 0 };
      for (const name of artifactNames) {
        const before = await packFile(folderOf(id), name);
        const bytes = (await sizeOf(join(folderOf(id), fileOf(name)))) ?? 0;
        packed.bytes += bytes;
        if (before !== undefined) packed.change += bytes - before;
      }
      return packed;
    },
    async unpacked() {
      const ids = (await readdir(root).catch(() => [])).filter(isResultId);
      const names = artifactNames.map(rawFileOf);
      const found = await Promise.all(
        ids.map(async id => (await readdir(folderOf(id)).catch(() => [])).some(name => names.includes(name))),
      );
      return ids.filter((_, at) => found[at]);
    },
    async find(id) {
      const folder = folderOf(id);
      const files = await Promise.all(artifactNames.map(async name => [name, await toFile(folder, name)] as const));
      const there = files.filter(([, file]) => file !== undefined);
      return there.length > 0 ? Object.fromEntries(there) : undefined;
    },
    async remove(ids) {
      for (const id of ids) {
        const folder = folderOf(id);
        await rm(folder, whileFilled);
        await rm(folder + partEnding, whileFilled);
      }
    },
    async old(nowMs) {
      const names = await readdir(root).catch(() => []);
      const ids = [...new Set(names.map(name => name.replace(partEnding, '')))].filter(isResultId);
      const ages = await Promise.all(
        ids.map(async id => {
          // A folder may be renamed or removed meanwhile.
          const statOf = (path: string) => stat(path).catch(() => undefined);
          const found = (await statOf(folderOf(id))) ?? (await statOf(folderOf(id) + partEnding));
          return { id, isOld: found !== undefined && nowMs - found.mtimeMs >= orphanAgeMs };
        }),
      );
      return ages.filter(({ isOld }) => isOld).map(({ id }) => id);
    },
  };
}
