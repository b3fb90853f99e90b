import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type FaultCode, StoreFaultError } from '../../database/fault.ts';
import { faultCodeOf } from '../fault.ts';

const cannotOpen = 14;
const ioError = 10;
/** Free space that a page and its log entries need. */
const leastRoomBytes = 16 * 1024;

/** The primary result codes of SQLite that concern the file or the disk, rather than the program. */
const codes: Readonly<Record<number, FaultCode>> = {
  3: 'read_only', // PERM
  5: 'locked', // BUSY
  6: 'locked', // LOCKED
  7: 'unavailable', // NOMEM
  8: 'read_only', // READONLY
  10: 'unavailable', // IOERR
  11: 'corrupt', // CORRUPT
  13: 'disk_full', // FULL
  14: 'unavailable', // CANTOPEN
  15: 'locked', // PROTOCOL: other processes always got the lock first
  22: 'unavailable', // NOLFS
  26: 'corrupt', // NOTADB
};

const sentences: Readonly<Record<FaultCode, string>> = {
  locked: 'Another process has locked the database',
  disk_full: 'The disk of the database is full',
  read_only: 'The database or its folder cannot be written',
  corrupt: 'The database file is corrupt',
  unavailable: 'The database file cannot be used',
  newer_database: 'The database has a newer version',
  not_acceptable: 'The database refused a statement',
  invalid_input: 'The database cannot store this input',
  closed: 'The store is closed',
};

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/**
 * Returns whether the disk has free space. If the disk is full, SQLite may report an I/O error, because it enlarges the
 * index of the log byte by byte.
 */
const hasRoom = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize >= leastRoomBytes;
  } catch {
    return true;
  }
};

const codeOf = (error: Error & { errcode?: number; code?: string }): FaultCode =>
  codes[(error.errcode ?? 0) & 0xff] ??
  faultCodeOf(error) ??
  (error.code?.startsWith('ERR_') ? 'not_acceptable' : 'unavailable');

export function toSqliteFault(error: unknown, path: string): StoreFaultError {
  if (error instanceof StoreFaultError) return error;
  const known: Error & { errcode?: number; code?: string } = error instanceof Error ? error : new Error(String(error));
  // On a read-only disk, a file cannot be opened for writing.
  const isReadOnly = known.errcode === cannotOpen && existsSync(path) && !isWritable(path);
  const isFull = ((known.errcode ?? 0) & 0xff) === ioError && !hasRoom(path);
  const code = isReadOnly ? 'read_only' : isFull ? 'disk_full' : codeOf(known);
  return new StoreFaultError(code, `${sentences[code]}.`, { cause: error, detail: `${path}: ${known.message}` });
}
