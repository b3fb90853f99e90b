/** Salvages a file by hand: into a new file, or into one that has rows already. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import type { Salvaged } from '../fault.ts';
import { createFile, openToFill } from './connection.ts';
import { salvage } from './salvage.ts';

/**
 * Whether a process on this machine holds a lock on the file. SQLite cannot be asked: closing a damaged file would move
 * its log into it.
 */
export function isFileInUse(path: string): boolean {
  if (!existsSync('/proc/locks')) return false;
  const inodes = [path, `${path}-shm`].flatMap(file => statSync(file, { throwIfNoEntry: false })?.ino ?? []);
  const held = [...readFileSync('/proc/locks', 'utf8').matchAll(/[\da-f]+:[\da-f]+:(\d+) /g)].map(([, inode]) => inode);
  return inodes.some(inode => held.includes(String(inode)));
}

/** @throws where the target cannot be written, or another process uses it */
export function salvageInto(from: string, to: string): Salvaged {
  const target = existsSync(to) ? openToFill(to) : createFile(to);
  try {
    const salvaged = salvage(from, target);
    target.exec('PRAGMA journal_mode = WAL');
    return salvaged;
  } finally {
    target.close();
  }
}
