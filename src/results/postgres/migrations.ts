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
];
