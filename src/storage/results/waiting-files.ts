/**
 * One file for each entry that waits for the database. It is written when the wait starts, so that neither a stop nor a
 * kill loses the entry. The next start loads it. The file is authoritative: if it is missing, another process has
 * written or removed the entry.
 */
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isResultId } from './result-id.ts';
import { findEntryProblem } from './sql/entries.ts';
import type { NewEntry } from './store.ts';

const ending = '.json';

export type WaitingFiles = {
  /** Writes an entry; returns false if the file could not be written. Never throws. */
  write(entry: NewEntry): Promise<boolean>;
  /** Returns whether a file of the entry existed for this process and has been removed. */
  isGone(id: string): Promise<boolean>;
  /** Returns whether there is a file, as far as this process knows. */
  has(id: string): boolean;
  /** Returns the ids of all files, including those of other processes. Never throws. */
  list(): Promise<readonly string[]>;
  remove(id: string): Promise<void>;
  /** Yields entries of files that this process does not know yet, oldest first. Never throws. */
  takeUp(): AsyncGenerator<NewEntry>;
};

const toText = ({ full, ...entry }: NewEntry): string =>
  JSON.stringify({
    ...entry,
    full: full && { coding: full.coding, bytes: Buffer.from(full.bytes).toString('base64') },
  });

/** @throws if the text was not written by `toText` */
function fromText(text: string): NewEntry {
  const { full, ...entry } = JSON.parse(text);
  const found: NewEntry = { ...entry, full: full && { coding: full.coding, bytes: Buffer.from(full.bytes, 'base64') } };
  const problem = findEntryProblem(found);
  if (problem !== undefined) throw new Error(problem);
  return found;
}

/** Waiting files of a store without a folder. Waiting entries are lost when the process ends. */
export const noWaitingFiles: WaitingFiles = {
  write: async () => false,
  isGone: async () => false,
  has: () => false,
  list: async () => [],
  remove: async () => {},
  async *takeUp() {},
};

/** @param onUnreadable called with the id of a file that contains no entry. The file is renamed, but not removed. */
export function createWaitingFiles(folder: string, onUnreadable: (id: string) => void): WaitingFiles {
  const known = new Set<string>();
  const pathOf = (id: string): string => join(folder, id + ending);

  async function read(id: string): Promise<NewEntry | undefined> {
    const text = await readFile(pathOf(id), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return fromText(text);
    } catch {
      onUnreadable(id);
      await rename(pathOf(id), `${pathOf(id)}.unreadable`).catch(() => {});
      return undefined;
    }
  }

  async function list(): Promise<readonly string[]> {
    const names = await readdir(folder).catch(() => []);
    const ids = names.filter(name => name.endsWith(ending)).map(name => name.slice(0, -ending.length));
    return ids.filter(isResultId).toSorted();
  }

  return {
    has: id => known.has(id),
    list,
    async write(entry) {
      const part = `${pathOf(entry.id)}.part`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(part, toText(entry), { mode: 0o600 });
        await rename(part, pathOf(entry.id));
        known.add(entry.id);
        return true;
      } catch {
        await rm(part, { force: true }).catch(() => {});
        return false;
      }
    },
    async isGone(id) {
      if (!known.has(id)) return false;
      const isThere = await access(pathOf(id)).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
      );
      return !isThere;
    },
    async remove(id) {
      known.delete(id);
      await rm(pathOf(id), { force: true }).catch(() => {});
    },
    async *takeUp() {
      for (const id of await list()) {
        const entry = known.has(id) ? undefined : await read(id);
        if (entry?.id !== id) continue;
        known.add(id);
        yield entry;
      }
    },
  };
}
