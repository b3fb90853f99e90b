/**
 * Migrations of the fleet's tables. Steps only add tables and columns, so that instances of the previous version
 * continue to work during an upgrade. Times are milliseconds since the epoch by the clock of the database, because the
 * clocks of machines differ.
 */
import { sharedTables } from './shared/shared-tables.ts';

export const fleetMigrations: readonly string[] = [
  `
  -- Who is there: an instance that is not seen for some seconds is dead, and what it asked for is cancelled.
  CREATE TABLE instances (
    id TEXT PRIMARY KEY, role TEXT NOT NULL, version TEXT NOT NULL, queue TEXT NOT NULL, slots INTEGER NOT NULL,
    stay_ms INTEGER, seen_at BIGINT NOT NULL
  );
  `,
  `
  -- The queue of audits: whose each one is, its turn among clients, who runs it, and its outcome.
  CREATE TABLE audits (
    id UUID PRIMARY KEY, queue TEXT NOT NULL, owner TEXT NOT NULL, client TEXT NOT NULL, is_batch INTEGER NOT NULL,
    turn BIGINT NOT NULL, number BIGINT GENERATED ALWAYS AS IDENTITY, queued_at BIGINT NOT NULL,
    worker TEXT, attempt INTEGER, outcome TEXT, content BYTEA
  );
  ALTER TABLE audits ALTER COLUMN content SET STORAGE EXTERNAL;
  CREATE INDEX audits_that_wait ON audits (queue, is_batch, turn, number) WHERE worker IS NULL;
  CREATE INDEX audits_by_owner ON audits (owner);

  -- The turn after the last one that each client has taken.
  CREATE TABLE turns (
    queue TEXT NOT NULL, is_batch INTEGER NOT NULL, client TEXT NOT NULL, next BIGINT NOT NULL,
    PRIMARY KEY (queue, is_batch, client)
  );

  -- What one instance asks of one other: to audit artifacts again that are there, to remove them.
  CREATE TABLE calls (
    id UUID PRIMARY KEY, callee TEXT NOT NULL, owner TEXT NOT NULL, request TEXT NOT NULL,
    is_taken INTEGER NOT NULL DEFAULT 0, outcome TEXT, called_at BIGINT NOT NULL
  );
  CREATE INDEX calls_by_callee ON calls (callee) WHERE is_taken = 0;
  CREATE INDEX calls_by_owner ON calls (owner);
  `,
  sharedTables,
  `
  -- What a worker needs to audit, and until when its claim holds: the queue is this table. Older versions have a queue
  -- of another name, in pg-boss, and leave both empty.
  ALTER TABLE audits ADD COLUMN job TEXT;
  ALTER TABLE audits ADD COLUMN lease_until BIGINT;
  `,
  `
  -- The host name of an instance, for people. Older versions leave it empty.
  ALTER TABLE instances ADD COLUMN name TEXT;
  `,
];

/** SQL expression for the time of the database. */
export const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
