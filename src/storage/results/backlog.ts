/** Entries that wait in memory while the database cannot be written. */
import type { StoredEntry } from './sql/entries.ts';

const maxEntries = 1000;

export type Backlog = {
  readonly size: number;
  /** False when there is no room. */
  add(entry: StoredEntry): boolean;
  has(id: string): boolean;
  get(id: string): StoredEntry | undefined;
  /** Oldest first. */
  all(): readonly StoredEntry[];
  remove(id: string): boolean;
};

export function createBacklog(maxBytes: number): Backlog {
  const entries = new Map<string, StoredEntry>();
  let bytes = 0;

  return {
    get size() {
      return entries.size;
    },
    add(entry) {
      if (entries.has(entry.id)) return true;
      if (entries.size >= maxEntries || bytes + entry.bytes > maxBytes) return false;
      entries.set(entry.id, entry);
      bytes += entry.bytes;
      return true;
    },
    has: id => entries.has(id),
    get: id => entries.get(id),
    all: () => [...entries.values()],
    remove(id) {
      bytes -= entries.get(id)?.bytes ?? 0;
      return entries.delete(id);
    },
  };
}
