/**
 * Entries that wait for the database: in memory, so that they can be read, and each in a file, so that neither a stop
 * nor a kill loses it. The next start loads the file. It is authoritative: if it is missing, another process has written
 * or removed the entry.
 */
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isResultId } from './result-id.ts';
import { findEntryProblem, type StoredEntry } from './sql/entries.ts';
import type { NewEntry } from './store.ts';

const ending = '.json';
const maxEntries = 1000;

export type Waiting = {
  readonly size: number;
  has(id: string): boolean;
  get(id: string): StoredEntry | undefined;
  /** Returns the entries, oldest first. */
  all(): readonly StoredEntry[];
  /** Adds an entry, and writes its file if possible. @returns false if there are too many. Never throws */
  add(entry: StoredEntry): Promise<boolean>;
  /** Removes an entry and its file. */
  remove(id: string): Promise<void>;
  /** Returns whether there is a file, as far as this process knows. */
  hasFile(id: string): boolean;
  /** Returns whether a file of the entry existed for this process and has been removed. */
  isGone(id: string): Promise<boolean>;
  /** Returns the ids of all files, including those of other processes. Never throws. */
  listFiles(): Promise<readonly string[]>;
  /** Adds the entries of files that this process does not know yet, oldest first, until there are too many. Never throws. */
  takeUp(toStored: (entry: NewEntry) => StoredEntry): Promise<void>;
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

/**
 * @param folder undefined for a store without one: its entries are lost when the process ends
 * @param onUnreadable called with the id of a file that contains no entry. The file is renamed, but not removed.
 */
export function createWaiting(
  folder: string | undefined,
  { maxBytes, onUnreadable }: { maxBytes: number; onUnreadable: (id: string) => void },
): Waiting {
  const entries = new Map<string, StoredEntry>();
  const inFiles = new Set<string>();
  let bytes = 0;
  const pathOf = (id: string): string => join(folder ?? '', id + ending);

  const addToMemory = (entry: StoredEntry): boolean => {
    if (entries.has(entry.id)) return true;
    if (entries.size >= maxEntries || bytes + entry.bytes > maxBytes) return false;
    entries.set(entry.id, entry);
    bytes += entry.bytes;
    return true;
  };

  async function write({ id, entry }: StoredEntry): Promise<void> {
    if (folder === undefined) return;
    const part = `${pathOf(id)}.part`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(part, toText(entry), { mode: 0o600 });
      await rename(part, pathOf(id));
      inFiles.add(id);
    } catch {
      await rm(part, { force: true }).catch(() => {});
    }
  }

  async function remove(id: string): Promise<void> {
    bytes -= entries.get(id)?.bytes ?? 0;
    entries.delete(id);
    inFiles.delete(id);
    if (folder !== undefined) await rm(pathOf(id), { force: true }).catch(() => {});
  }

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

  async function listFiles(): Promise<readonly string[]> {
    const names = folder === undefined ? [] : await readdir(folder).catch(() => []);
    const ids = names.filter(name => name.endsWith(ending)).map(name => name.slice(0, -ending.length));
    return ids.filter(isResultId).toSorted();
  }

  return {
    get size() {
      return entries.size;
    },
    has: id => entries.has(id),
    get: id => entries.get(id),
    all: () => [...entries.values()],
    remove,
    hasFile: id => inFiles.has(id),
    listFiles,
    async add(entry) {
      if (!addToMemory(entry)) return false;
      await write(entry);
      // The entry may have been written to the database in the meantime, or a client may have removed it.
      if (!entries.has(entry.id)) await remove(entry.id);
      return true;
    },
    async isGone(id) {
      if (!inFiles.has(id)) return false;
      return access(pathOf(id)).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
    },
    async takeUp(toStored) {
      for (const id of await listFiles()) {
        const entry = inFiles.has(id) ? undefined : await read(id);
        if (entry?.id !== id) continue;
        if (!addToMemory(toStored(entry))) return;
        inFiles.add(id);
      }
    },
  };
}
