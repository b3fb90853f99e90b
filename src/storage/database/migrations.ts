/**
 * Migrations of the tables: one step per version, for both engines. A released step is never changed; a new one is added
 * instead. Steps only add tables and columns, so that the previous version continues to work during an upgrade.
 */
import type { Ddl } from './table.ts';
import {
  accessProfiles,
  artifacts,
  bodies,
  cachedValues,
  deliveries,
  jobEvents,
  jobPages,
  jobSecrets,
  jobs,
  jobTakers,
  lhciBuilds,
  lhciProjects,
  lhciRuns,
  notes,
  results,
  schedules,
  storeState,
} from './tables.ts';

/** Parts of a step: DDL of a table, the same SQL for both engines, or SQL for one of them. */
type MigrationStep = readonly (string | Partial<Ddl>)[];

const steps: readonly MigrationStep[] = [
  [
    results.create,
    'CREATE INDEX results_by_time ON results (measured_at, id) INCLUDE (bytes, source, strategy, kind)',
    'CREATE INDEX results_by_url ON results (url, measured_at, id) INCLUDE (source, strategy, kind)',
    'CREATE INDEX results_by_host ON results (host, measured_at, id) INCLUDE (source, strategy, kind)',
    'CREATE INDEX results_by_label ON results (label, measured_at, id) WHERE label IS NOT NULL',
    'CREATE INDEX results_by_group ON results (group_id) WHERE group_id IS NOT NULL',
    bodies.create,
    artifacts.create,
    cachedValues.create,
    storeState.create,
  ],
  [
    jobs.create,
    'CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE ended_at IS NULL',
    'CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL',
    'CREATE INDEX jobs_by_client ON jobs (client, created_at, id)',
    jobPages.create,
    jobEvents.create,
    schedules.create,
    'CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0',
    'CREATE INDEX schedules_by_client ON schedules (client, created_at, id)',
    deliveries.create,
    "CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting'",
    'CREATE INDEX deliveries_by_job ON deliveries (job_id)',
  ],
  [
    results.added(3),
    // The clock of the database dates a result, even if an older instance writes the row.
    {
      postgres: `ALTER TABLE results ALTER COLUMN stored_at
        SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint`,
    },
    'CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id) INCLUDE (bytes)',
    jobs.added(3),
    'CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (client, idempotency_key) WHERE idempotency_key IS NOT NULL',
    schedules.added(3),
    `CREATE UNIQUE INDEX schedules_by_idempotency_key ON schedules (client, idempotency_key)
      WHERE idempotency_key IS NOT NULL`,
    // The most advanced delivery of each job stays.
    `DELETE FROM deliveries WHERE id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER (
          PARTITION BY job_id
          ORDER BY CASE state WHEN 'delivered' THEN 0 WHEN 'waiting' THEN 1 ELSE 2 END, tries DESC, created_at, id
        ) AS place FROM deliveries
      ) AS doubles WHERE place > 1
    )`,
    deliveries.added(3),
    'CREATE UNIQUE INDEX deliveries_by_event ON deliveries (job_id, kind)',
    jobTakers.create,
  ],
  [
    jobSecrets.create,
    lhciProjects.create,
    lhciBuilds.create,
    'CREATE INDEX lhci_builds_by_time ON lhci_builds (project_id, branch, run_at)',
    lhciRuns.create,
    'CREATE INDEX lhci_runs_by_build ON lhci_runs (build_id, url)',
  ],
  [results.added(5)],
  [
    notes.create,
    'CREATE INDEX notes_by_time ON notes (host, at, id)',
    'CREATE INDEX notes_by_client ON notes (client, id)',
    schedules.added(6),
    results.added(6),
    accessProfiles.create,
  ],
];

/** SQLite has no included columns, so they are the last columns of an index. */
const toSql = (part: MigrationStep[number], engine: keyof Ddl): string => {
  const sql = typeof part === 'string' ? part : (part[engine] ?? '');
  return engine === 'sqlite' ? sql.replace(') INCLUDE (', ', ') : sql;
};

const toSteps = (engine: keyof Ddl): readonly string[] =>
  steps.map(step =>
    step
      .map(part => toSql(part, engine))
      .filter(sql => sql !== '')
      .join(';\n'),
  );

export const sqliteMigrations = toSteps('sqlite');
export const postgresMigrations = toSteps('postgres');
