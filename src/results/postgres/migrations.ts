/**
 * The tables, as steps from one version to the next; the same columns as sqlite/migrations.ts. Text that is searched has
 * the order of its bytes, as in SQLite. Bodies come compressed: trying it again would only cost time.
 */
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

export const postgresMigrations: readonly string[] = [
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
  // `stored_at` is when a result was stored, by the time of the database: also where an older instance writes it.
  `
  ALTER TABLE results ADD COLUMN disturbed INTEGER;
  ALTER TABLE results ADD COLUMN cpu_slowdown DOUBLE PRECISION;
  ALTER TABLE results ADD COLUMN performance_min DOUBLE PRECISION;
  ALTER TABLE results ADD COLUMN performance_max DOUBLE PRECISION;

  ALTER TABLE results ADD COLUMN stored_at BIGINT;
  ALTER TABLE results ALTER COLUMN stored_at SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id) INCLUDE (bytes);

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
];
