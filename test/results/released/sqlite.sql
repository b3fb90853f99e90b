-- Step 1
CREATE TABLE results (
id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, group_id TEXT, url TEXT NOT NULL, host TEXT NOT NULL,
source TEXT NOT NULL, strategy TEXT NOT NULL, profile TEXT, label TEXT,
analyser TEXT NOT NULL, analyser_host TEXT, lighthouse_version TEXT, browser_version TEXT, machine_id TEXT,
measured_at INTEGER NOT NULL, error_code TEXT, page_status INTEGER,
performance REAL, accessibility REAL, best_practices REAL, seo REAL, first_contentful_paint REAL, largest_contentful_paint REAL, total_blocking_time REAL, cumulative_layout_shift REAL, speed_index REAL, interactive REAL, server_response_time REAL,
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
-- Step 2
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
-- Step 3
ALTER TABLE results ADD COLUMN disturbed INTEGER;
ALTER TABLE results ADD COLUMN cpu_slowdown REAL;
ALTER TABLE results ADD COLUMN performance_min REAL;
ALTER TABLE results ADD COLUMN performance_max REAL;
ALTER TABLE results ADD COLUMN stored_at INTEGER;
CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id, bytes);
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
-- Step 4
CREATE TABLE job_secrets (job_id TEXT NOT NULL UNIQUE, content TEXT NOT NULL) STRICT;
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
-- Step 5
ALTER TABLE results ADD COLUMN benchmark_index REAL;
