/**
 * The tables of the fleet, as steps from one version to the next. A step only adds, so that an instance of the version
 * before works on meanwhile. Times are milliseconds since the epoch, of the database: the clocks of machines differ.
 */
import { sharedTables } from './shared-tables.ts';

export const fleetMigrations: readonly string[] = [
  `
  CREATE TABLE instances (
    id TEXT PRIMARY KEY, role TEXT NOT NULL, version TEXT NOT NULL, slots INTEGER NOT NULL, seen_at BIGINT NOT NULL
  );
  `,
  sharedTables,
];

/** Of the database, in SQL. */
export const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
