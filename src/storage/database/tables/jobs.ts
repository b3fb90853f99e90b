/** The tables of jobs, schedules and callbacks. */
import type { TableSteps } from '../migrations.ts';

const text = 'TEXT COLLATE "C"';

const sqlite: readonly string[] = [
  '',
  `
  CREATE TABLE jobs (
    id TEXT NOT NULL UNIQUE, client TEXT NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL,
    total INTEGER NOT NULL, done INTEGER NOT NULL, failed INTEGER NOT NULL,
    attempt INTEGER NOT NULL, owner TEXT, beat INTEGER NOT NULL,
    created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
    error TEXT, callback TEXT, schedule_id TEXT
  ) STRICT;
  CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE ended_at IS NULL;
  CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX jobs_by_client ON jobs (client, created_at, id);

  CREATE TABLE job_pages (
    job_id TEXT NOT NULL, position INTEGER NOT NULL, url TEXT NOT NULL, state TEXT NOT NULL, tries INTEGER NOT NULL,
    same_as INTEGER, copies INTEGER NOT NULL, outcome TEXT, answer BLOB,
    PRIMARY KEY (job_id, position)
  ) STRICT;

  CREATE TABLE job_events (
    job_id TEXT NOT NULL, number INTEGER NOT NULL, event TEXT NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
  ) STRICT;

  CREATE TABLE schedules (
    id TEXT NOT NULL UNIQUE, client TEXT NOT NULL, request TEXT NOT NULL, urls TEXT NOT NULL, pages INTEGER NOT NULL,
    rhythm TEXT NOT NULL, paused INTEGER NOT NULL, callback TEXT, callback_when TEXT NOT NULL,
    created_at INTEGER NOT NULL, next_at INTEGER, last_at INTEGER, last_job_id TEXT, previous_job_id TEXT
  ) STRICT;
  CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;
  CREATE INDEX schedules_by_client ON schedules (client, created_at, id);

  CREATE TABLE deliveries (
    id TEXT NOT NULL UNIQUE, job_id TEXT NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL,
    tries INTEGER NOT NULL, created_at INTEGER NOT NULL, next_at INTEGER NOT NULL, last_error TEXT
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
  CREATE INDEX deliveries_by_job ON deliveries (job_id);
  `,
  `
  ALTER TABLE jobs ADD COLUMN policy TEXT;
  ALTER TABLE jobs ADD COLUMN idempotency_key TEXT;
  ALTER TABLE jobs ADD COLUMN order_digest TEXT;
  CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (client, idempotency_key) WHERE idempotency_key IS NOT NULL;
  ALTER TABLE schedules ADD COLUMN policy TEXT;
  ALTER TABLE schedules ADD COLUMN idempotency_key TEXT;
  ALTER TABLE schedules ADD COLUMN order_digest TEXT;
  CREATE UNIQUE INDEX schedules_by_idempotency_key ON schedules (client, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  DELETE FROM deliveries WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (
        PARTITION BY job_id
        ORDER BY CASE state WHEN 'delivered' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END, tries DESC, created_at, id
      ) AS place FROM deliveries
    ) AS doubles WHERE place > 1
  );
  ALTER TABLE deliveries ADD COLUMN kind TEXT NOT NULL DEFAULT 'ended';
  CREATE UNIQUE INDEX deliveries_by_event ON deliveries (job_id, kind);

  CREATE TABLE job_takers (id TEXT NOT NULL UNIQUE, targets TEXT NOT NULL, takes TEXT NOT NULL, seen_at INTEGER NOT NULL) STRICT;
  `,
  'CREATE TABLE job_secrets (job_id TEXT NOT NULL UNIQUE, content TEXT NOT NULL) STRICT;',
];

const postgres: readonly string[] = [
  '',
  `
  CREATE TABLE jobs (
    id ${text} PRIMARY KEY, client ${text} NOT NULL, request TEXT NOT NULL, state ${text} NOT NULL,
    total INTEGER NOT NULL, done INTEGER NOT NULL, failed INTEGER NOT NULL,
    attempt INTEGER NOT NULL, owner ${text}, beat BIGINT NOT NULL,
    created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT,
    error TEXT, callback TEXT, schedule_id ${text}
  );
  CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE ended_at IS NULL;
  CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX jobs_by_client ON jobs (client, created_at, id);

  CREATE TABLE job_pages (
    job_id ${text} NOT NULL, position INTEGER NOT NULL, url TEXT NOT NULL, state ${text} NOT NULL,
    tries INTEGER NOT NULL, same_as INTEGER, copies INTEGER NOT NULL, outcome TEXT, answer BYTEA,
    PRIMARY KEY (job_id, position)
  );
  ALTER TABLE job_pages ALTER COLUMN answer SET STORAGE EXTERNAL;

  CREATE TABLE job_events (
    job_id ${text} NOT NULL, number INTEGER NOT NULL, event ${text} NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (job_id, number)
  );

  CREATE TABLE schedules (
    id ${text} PRIMARY KEY, client ${text} NOT NULL, request TEXT NOT NULL, urls TEXT NOT NULL, pages INTEGER NOT NULL,
    rhythm TEXT NOT NULL, paused INTEGER NOT NULL, callback TEXT, callback_when ${text} NOT NULL,
    created_at BIGINT NOT NULL, next_at BIGINT, last_at BIGINT, last_job_id ${text}, previous_job_id ${text}
  );
  CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;
  CREATE INDEX schedules_by_client ON schedules (client, created_at, id);

  CREATE TABLE deliveries (
    id ${text} PRIMARY KEY, job_id ${text} NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, state ${text} NOT NULL,
    tries INTEGER NOT NULL, created_at BIGINT NOT NULL, next_at BIGINT NOT NULL, last_error TEXT
  );
  CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
  CREATE INDEX deliveries_by_job ON deliveries (job_id);
  `,
  `
  ALTER TABLE jobs ADD COLUMN policy ${text};
  ALTER TABLE jobs ADD COLUMN idempotency_key ${text};
  ALTER TABLE jobs ADD COLUMN order_digest ${text};
  CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (client, idempotency_key) WHERE idempotency_key IS NOT NULL;
  ALTER TABLE schedules ADD COLUMN policy ${text};
  ALTER TABLE schedules ADD COLUMN idempotency_key ${text};
  ALTER TABLE schedules ADD COLUMN order_digest ${text};
  CREATE UNIQUE INDEX schedules_by_idempotency_key ON schedules (client, idempotency_key)
    WHERE idempotency_key IS NOT NULL;

  DELETE FROM deliveries WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (
        PARTITION BY job_id
        ORDER BY CASE state WHEN 'delivered' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END, tries DESC, created_at, id
      ) AS place FROM deliveries
    ) AS doubles WHERE place > 1
  );
  ALTER TABLE deliveries ADD COLUMN kind ${text} NOT NULL DEFAULT 'ended';
  CREATE UNIQUE INDEX deliveries_by_event ON deliveries (job_id, kind);

  CREATE TABLE job_takers (id ${text} PRIMARY KEY, targets TEXT NOT NULL, takes TEXT NOT NULL, seen_at BIGINT NOT NULL);
  `,
  `CREATE TABLE job_secrets (job_id ${text} PRIMARY KEY, content TEXT NOT NULL);`,
];

export const jobTables: TableSteps = { sqlite, postgres };
