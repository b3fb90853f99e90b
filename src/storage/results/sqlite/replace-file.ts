/** Puts a new file in the place of a damaged one, with all that can be read of it. The damaged one stays beside it. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFaultError } from '../../database/fault.ts';
import type { Salvaged } from '../fault.ts';
import { createFile } from './connection.ts';
import { salvage } from './salvage.ts';

/** The file of the database, and what belongs to it: the log may hold what was acknowledged last. */
const endings = ['', '-wal', '-shm'];

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const removeFile = (path: string): void => {
  for (const ending of [...endings, '-journal']) rmSync(path + ending, { force: true });
};

/** @throws StoreFaultError of code `disk_full` */
function assertRoom(path: string): void {
  const needed = sizeOf(path) + sizeOf(`${path}-wal`);
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < needed)
    throw new StoreFaultError('disk_full', 'The disk has no room for a sound copy of the damaged database.');
}

/** Gives the damaged file another name, and returns it. */
function moveAside(path: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const target = `${path.replace(/\.sqlite$/, '')}.corrupt-${stamp}.sqlite`;
  for (const ending of endings) if (existsSync(path + ending)) renameSync(path + ending, target + ending);
  return target;
}

const syncFile = (path: string): void => {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
};

export type Replaced = { readonly aside: string; readonly salvaged: Salvaged };

/**
 * Undefined when there is nothing to replace: another process was faster, or the file is gone. No other process may
 * write into the file meanwhile.
 * @throws when there is no room, or the folder cannot be written: everything is as it was then
 */
export function replaceDamagedFile(path: string, nowMs: number): Replaced | undefined {
  if (sizeOf(path) === 0) return undefined;
  assertRoom(path);
  const copy = `${path}.salvaged-${process.pid}`;
  removeFile(copy);
  try {
    const target = createFile(copy);
    let salvaged: Salvaged;
    try {
      salvaged = salvage(path, target);
      target.exec('PRAGMA journal_mode = WAL');
    } finally {
      target.close();
    }
    syncFile(copy);
    const aside = moveAside(path, nowMs);
    renameSync(copy, path);
    return { aside, salvaged };
  } catch (error) {
    removeFile(copy);
    throw error;
  }
}
