/** Events that a store reports. */
import type { FaultCode } from '../database/fault.ts';

const codes: Readonly<Record<string, FaultCode>> = {
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
};

/** Returns the fault code for an error of the operating system; undefined for other errors. */
export const faultCodeOf = (error: unknown): FaultCode | undefined =>
  codes[(error as { code?: string } | undefined)?.code ?? ''];

export const toSystemFault = (error: unknown, what: string): Omit<StoreFault, 'atMs'> => ({
  code: faultCodeOf(error) ?? 'unavailable',
  message: `${what}.`,
  detail: error instanceof Error ? error.message : String(error),
});

export type StoreFault = {
  code: FaultCode;
  /** A sentence for a client, without the name of a file, host or database. */
  message: string;
  /** The file or database and its error message, for the log. It contains no password. */
  detail?: string | undefined;
  /** Milliseconds since the epoch. */
  atMs: number;
};

export type SalvagedTable = {
  readonly table: string;
  /** Number of recovered rows in the new file. */
  readonly copied: number;
  /** Number of rows that are completely or partly lost. */
  readonly lost: number;
};

export type Salvaged = {
  readonly tables: readonly SalvagedTable[];
  /** Number of damaged table pages. Each may have contained any number of rows. */
  readonly damagedPages: number;
};

export type StoreEvent =
  | { event: 'fault'; fault: StoreFault }
  | { event: 'recovered' }
  /** The damaged file was renamed, and its readable rows are in a new file. */
  | { event: 'moved_aside'; path: string; salvaged: Salvaged }
  /** The file was removed or replaced while it was open. The store now uses the file at the path. */
  | { event: 'file_gone'; path: string }
  /** Entries wait in files until the next start. */
  | { event: 'left_waiting'; count: number }
  /** A waiting entry was discarded. */
  | { event: 'dropped'; id: string; reason: string }
  /** The file was copied before a migration. */
  | { event: 'copied'; path: string }
  | { event: 'not_copied'; path: string; reason: string }
  /** The clock differs by more than a day from the last time in the store. No data are removed by age. */
  | { event: 'clock_doubted'; nowMs: number; seenAtMs: number }
  | { event: 'clock_believed' }
  /** The clock of this process differs from that of the database, which the store uses. */
  | { event: 'clock_differs'; byMs: number }
  | { event: 'bound_changed'; bound: string; from: number; to: number }
  /** Retention removed entries. A removal by a client is not reported here. */
  | { event: 'removed'; kind: RemovedKind; count: number };

export const removedKinds = ['results', 'artifacts', 'jobs', 'builds'] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** The cursor does not come from a list of results. */
export class InvalidCursorError extends Error {
  constructor() {
    super('The cursor is not from a list of results.');
    this.name = 'InvalidCursorError';
  }
}
