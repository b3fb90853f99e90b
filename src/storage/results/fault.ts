/** What a store reports of itself. */
import type { FaultCode } from '../database/fault.ts';

const codes: Readonly<Record<string, FaultCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
};

/** Of an error that the operating system gave a file's name. */
export const faultCodeOf = (error: unknown): FaultCode | undefined =>
  codes[(error as { code?: string } | undefined)?.code ?? ''];

export const toSystemFault = (error: unknown, what: string): Omit<StoreFault, 'atMs'> => ({
  code: faultCodeOf(error) ?? 'unavailable',
  message: `${what}.`,
  detail: error instanceof Error ? error.message : String(error),
});

export type StoreFault = {
  code: FaultCode;
  /** One sentence for a client: names no file, host or database. */
  message: string;
  /** For the log: which file or database, and its own words. Contains no password. */
  detail?: string | undefined;
  /** Milliseconds since the epoch. */
  atMs: number;
};

export type SalvagedTable = {
  readonly table: string;
  /** Rows that the new file has now, and did not have before. */
  readonly copied: number;
  /** Rows that are known to have been there, and cannot be read or not as a whole. */
  readonly lost: number;
};

export type Salvaged = {
  readonly tables: readonly SalvagedTable[];
  /** Damaged pages of tables: each held any number of rows. */
  readonly damagedPages: number;
};

export type StoreEvent =
  | { event: 'fault'; fault: StoreFault }
  | { event: 'recovered' }
  /** A damaged file has another name now. A new one holds what can be read of it. */
  | { event: 'moved_aside'; path: string; salvaged: Salvaged }
  /** Somebody removed or replaced the file while it was open: what is at its path now is used. */
  | { event: 'file_gone'; path: string }
  /** Entries wait in files for the next start. */
  | { event: 'left_waiting'; count: number }
  /** An entry that waited is given up. */
  | { event: 'dropped'; id: string; reason: string }
  /** The file as it was before a newer version changed its tables. */
  | { event: 'copied'; path: string }
  | { event: 'not_copied'; path: string; reason: string }
  /** The clock is more than a day away from the last time that the store saw: nothing is removed by its age. */
  | { event: 'clock_doubted'; nowMs: number; seenAtMs: number }
  | { event: 'clock_believed' }
  /** The clock of this process is not that of the database, by which the store goes. */
  | { event: 'clock_differs'; byMs: number }
  | { event: 'bound_changed'; bound: string; from: number; to: number }
  /** By retention; who forgets something knows it. */
  | { event: 'removed'; kind: RemovedKind; count: number };

export const removedKinds = ['results', 'artifacts', 'jobs'] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** The text of a cursor is none that a list gave. */
export class InvalidCursorError extends Error {
  constructor() {
    super('The cursor is not one that a list of results gave.');
    this.name = 'InvalidCursorError';
  }
}
