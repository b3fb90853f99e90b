/** The files of the store: traces and network logs, compressed, a folder for each entry. */
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isResultId } from './result-id.ts';
import { type ArtifactFiles, type ArtifactName, type ArtifactSources, artifactNames } from './store.ts';

/** Of a folder that no entry knows: younger, it may be one that is being written. */
const orphanAgeMs = 60 * 60_000;
const partEnding = '.part';

export type ArtifactFolder = {
  /** Takes compressed copies, and returns how many bytes they are. */
  add(id: string, sources: ArtifactSources): Promise<number>;
  find(id: string): Promise<ArtifactFiles | undefined>;
  remove(ids: readonly string[]): Promise<void>;
  /** Ids of folders that have been there for an hour or longer. */
  old(nowMs: number): Promise<string[]>;
};

const fileOf = (name: ArtifactName): string => `${name}.json.gz`;

/** All or nothing: the folder has its name only when every file is whole. */
async function writeAll(part: string, sources: ArtifactSources): Promise<number> {
  let bytes = 0;
  for (const name of artifactNames) {
    const source = sources[name];
    if (source === undefined) continue;
    const target = join(part, fileOf(name));
    await pipeline(createReadStream(source), createGzip(), createWriteStream(target, { mode: 0o600 }));
    bytes += (await stat(target)).size;
  }
  return bytes;
}

const toFile = async (folder: string, name: ArtifactName) => {
  const path = join(folder, fileOf(name));
  const found = await stat(path).catch(() => undefined);
  return found && { path, bytes: found.size };
};

export function createArtifactFolder(root: string): ArtifactFolder {
  const folderOf = (id: string): string => {
    // It becomes part of a path that is removed.
    if (!isResultId(id)) throw new TypeError('not the id of an entry');
    return join(root, id);
  };

  return {
    async add(id, sources) {
      const folder = folderOf(id);
      const part = folder + partEnding;
      try {
        await rm(part, { recursive: true, force: true });
        await mkdir(part, { recursive: true, mode: 0o700 });
        const bytes = await writeAll(part, sources);
        await rm(folder, { recursive: true, force: true });
        await rename(part, folder);
        return bytes;
      } catch (error) {
        await rm(part, { recursive: true, force: true }).catch(() => {});
        throw error;
      }
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
        await rm(folder, { recursive: true, force: true });
        await rm(folder + partEnding, { recursive: true, force: true });
      }
    },
    async old(nowMs) {
      const names = await readdir(root).catch(() => []);
      const ids = [...new Set(names.map(name => name.replace(partEnding, '')))].filter(isResultId);
      const ages = await Promise.all(
        ids.map(async id => {
          const found = (await stat(folderOf(id)).catch(() => undefined)) ?? (await stat(folderOf(id) + partEnding));
          return { id, isOld: nowMs - found.mtimeMs >= orphanAgeMs };
        }),
      );
      return ages.filter(({ isOld }) => isOld).map(({ id }) => id);
    },
  };
}
