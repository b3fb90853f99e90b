/**
 * The tables of builds that Lighthouse CI's command uploads. A run has the id of its result, which retention may remove
 * before the run. `facts` contains the client's facts about a commit, as JSON.
 */
import type { TableSteps } from '../migrations.ts';

const text = 'TEXT COLLATE "C"';

const sqlite: readonly string[] = [
  '',
  '',
  '',
  `
  CREATE TABLE lhci_projects (
    id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, external_url TEXT NOT NULL,
    base_branch TEXT NOT NULL, token_digest TEXT NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE lhci_builds (
    id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL, lifecycle TEXT NOT NULL, hash TEXT NOT NULL,
    branch TEXT NOT NULL, label TEXT NOT NULL, ancestor_hash TEXT, run_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL, facts TEXT NOT NULL,
    UNIQUE (project_id, branch, hash)
  ) STRICT;
  CREATE INDEX lhci_builds_by_time ON lhci_builds (project_id, branch, run_at);

  CREATE TABLE lhci_runs (
    id TEXT NOT NULL UNIQUE, build_id TEXT NOT NULL, url TEXT NOT NULL, strategy TEXT NOT NULL,
    representative INTEGER NOT NULL, created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX lhci_runs_by_build ON lhci_runs (build_id, url);
  `,
];

const postgres: readonly string[] = [
  '',
  '',
  '',
  `
  CREATE TABLE lhci_projects (
    id ${text} PRIMARY KEY, name TEXT NOT NULL, slug ${text} NOT NULL UNIQUE, external_url TEXT NOT NULL,
    base_branch ${text} NOT NULL, token_digest ${text} NOT NULL, created_at BIGINT NOT NULL
  );

  CREATE TABLE lhci_builds (
    id ${text} PRIMARY KEY, project_id ${text} NOT NULL, lifecycle ${text} NOT NULL, hash ${text} NOT NULL,
    branch ${text} NOT NULL, label ${text} NOT NULL, ancestor_hash ${text}, run_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL, facts TEXT NOT NULL,
    UNIQUE (project_id, branch, hash)
  );
  CREATE INDEX lhci_builds_by_time ON lhci_builds (project_id, branch, run_at);

  CREATE TABLE lhci_runs (
    id ${text} PRIMARY KEY, build_id ${text} NOT NULL, url ${text} NOT NULL, strategy ${text} NOT NULL,
    representative INTEGER NOT NULL, created_at BIGINT NOT NULL
  );
  CREATE INDEX lhci_runs_by_build ON lhci_runs (build_id, url);
  `,
];

export const buildTables: TableSteps = { sqlite, postgres };
