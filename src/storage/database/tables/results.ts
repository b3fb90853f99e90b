/**
 * Tables of results, artifacts and the cache. Each index ends with the other columns that a list filters by, so that
 * rows that do not match are skipped inside the index: even a list without a match reads no row of the table. On
 * PostgreSQL, searched text is sorted by bytes, as in SQLite. Bodies are already compressed, so PostgreSQL does not
 * compress them again.
 */
import type { TableSteps } from '../migrations.ts';

const values = [
  'performance',
  'accessibility',
  'best_practices',
  'seo',
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'speed_index',
  'interactive',
  'server_response_time',
];

const text = 'TEXT COLLATE "C"';

const sqlite: readonly string[] = [
  `
  CREATE TABLE results (
    id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, group_id TEXT, url TEXT NOT NULL, host TEXT NOT NULL,
    source TEXT NOT NULL, strategy TEXT NOT NULL, profile TEXT, label TEXT,
    analyser TEXT NOT NULL, analyser_host TEXT, lighthouse_version TEXT, browser_version TEXT, machine_id TEXT,
    measured_at INTEGER NOT NULL, error_code TEXT, page_status INTEGER,
    ${values.map(name => `${name} REAL,`).join(' ')}
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX results_by_time ON results (measured_at, id, bytes, source, strategy, kind);
  CREATE INDEX results_by_url ON results (url, measured_at, id, source, strategy, kind);
  CREATE INDEX results_by_host ON results (host, measured_at, id, source, strategy, kind);
  CREATE INDEX results_by_label ON results (label, measured_at, id) WHERE label IS NOT NULL;
  CREATE INDEX results_by_group ON results (group_id) WHERE group_id IS NOT NULL;

  CREATE TABLE bodies (
    id TEXT NOT NULL UNIQUE, summary BLOB NOT NULL, coding TEXT, full_result BLOB
  ) STRICT;

  CREATE TABLE artifacts (
    id TEXT NOT NULL, machine_id TEXT NOT NULL, bytes INTEGER NOT NULL, kept_at INTEGER NOT NULL,
    PRIMARY KEY (machine_id, id)
  ) STRICT;

  CREATE TABLE cached_values (
    number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, content BLOB NOT NULL,
    stored_at INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE store_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  `,
  '',
  // `stored_at` is the time of storing, by the clock of the store; null for results of earlier versions.
  `
  ALTER TABLE results ADD COLUMN disturbed INTEGER;
  ALTER TABLE results ADD COLUMN cpu_slowdown REAL;
  ALTER TABLE results ADD COLUMN performance_min REAL;
  ALTER TABLE results ADD COLUMN performance_max REAL;

  ALTER TABLE results ADD COLUMN stored_at INTEGER;
  CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id, bytes);
  `,
  '',
  'ALTER TABLE results ADD COLUMN benchmark_index REAL;',
];

const postgres: readonly string[] = [
  `
  CREATE TABLE results (
    id ${text} PRIMARY KEY, kind ${text} NOT NULL, group_id ${text}, url ${text} NOT NULL, host ${text} NOT NULL,
    source ${text} NOT NULL, strategy ${text} NOT NULL, profile ${text}, label ${text},
    analyser ${text} NOT NULL, analyser_host ${text}, lighthouse_version ${text}, browser_version ${text},
    machine_id ${text},
    measured_at BIGINT NOT NULL, error_code ${text}, page_status INTEGER,
    ${values.map(name => `${name} DOUBLE PRECISION,`).join(' ')}
    bytes BIGINT NOT NULL
  );
  CREATE INDEX results_by_time ON results (measured_at, id) INCLUDE (bytes, source, strategy, kind);
  CREATE INDEX results_by_url ON results (url, measured_at, id) INCLUDE (source, strategy, kind);
  CREATE INDEX results_by_host ON results (host, measured_at, id) INCLUDE (source, strategy, kind);
  CREATE INDEX results_by_label ON results (label, measured_at, id) WHERE label IS NOT NULL;
  CREATE INDEX results_by_group ON results (group_id) WHERE group_id IS NOT NULL;

  CREATE TABLE bodies (id ${text} PRIMARY KEY, summary BYTEA NOT NULL, coding ${text}, full_result BYTEA);
  ALTER TABLE bodies ALTER COLUMN summary SET STORAGE EXTERNAL, ALTER COLUMN full_result SET STORAGE EXTERNAL;

  CREATE TABLE artifacts (
    id ${text} NOT NULL, machine_id ${text} NOT NULL, bytes BIGINT NOT NULL, kept_at BIGINT NOT NULL,
    PRIMARY KEY (machine_id, id)
  );

  CREATE TABLE cached_values (
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name ${text} NOT NULL UNIQUE, content BYTEA NOT NULL,
    stored_at BIGINT NOT NULL, bytes BIGINT NOT NULL
  );
  ALTER TABLE cached_values ALTER COLUMN content SET STORAGE EXTERNAL;

  CREATE TABLE store_state (name ${text} PRIMARY KEY, value BIGINT NOT NULL);
  `,
  '',
  // `stored_at` is the time of storing, by the clock of the database, even if an older instance writes the row.
  `
  ALTER TABLE results ADD COLUMN disturbed INTEGER;
  ALTER TABLE results ADD COLUMN cpu_slowdown DOUBLE PRECISION;
  ALTER TABLE results ADD COLUMN performance_min DOUBLE PRECISION;
  ALTER TABLE results ADD COLUMN performance_max DOUBLE PRECISION;

  ALTER TABLE results ADD COLUMN stored_at BIGINT;
  ALTER TABLE results ALTER COLUMN stored_at SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id) INCLUDE (bytes);
  `,
  '',
  'ALTER TABLE results ADD COLUMN benchmark_index DOUBLE PRECISION;',
];

export const resultTables: TableSteps = { sqlite, postgres };
