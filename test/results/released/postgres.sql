-- Step 1
CREATE TABLE results (
id TEXT COLLATE "C" PRIMARY KEY, kind TEXT COLLATE "C" NOT NULL, group_id TEXT COLLATE "C", url TEXT COLLATE "C" NOT NULL, host TEXT COLLATE "C" NOT NULL,
source TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL, profile TEXT COLLATE "C", label TEXT COLLATE "C",
analyser TEXT COLLATE "C" NOT NULL, analyser_host TEXT COLLATE "C", lighthouse_version TEXT COLLATE "C", browser_version TEXT COLLATE "C",
machine_id TEXT COLLATE "C",
measured_at BIGINT NOT NULL, error_code TEXT COLLATE "C", page_status INTEGER,
performance DOUBLE PRECISION, accessibility DOUBLE PRECISION, best_practices DOUBLE PRECISION, seo DOUBLE PRECISION, first_contentful_paint DOUBLE PRECISION, largest_contentful_paint DOUBLE PRECISION, total_blocking_time DOUBLE PRECISION, cumulative_layout_shift DOUBLE PRECISION, speed_index DOUBLE PRECISION, interactive DOUBLE PRECISION, server_response_time DOUBLE PRECISION,
bytes BIGINT NOT NULL
);
CREATE INDEX results_by_time ON results (measured_at, id) INCLUDE (bytes, source, strategy, kind);
CREATE INDEX results_by_url ON results (url, measured_at, id) INCLUDE (source, strategy, kind);
CREATE INDEX results_by_host ON results (host, measured_at, id) INCLUDE (source, strategy, kind);
CREATE INDEX results_by_label ON results (label, measured_at, id) WHERE label IS NOT NULL;
CREATE INDEX results_by_group ON results (group_id) WHERE group_id IS NOT NULL;
CREATE TABLE bodies (id TEXT COLLATE "C" PRIMARY KEY, summary BYTEA NOT NULL, coding TEXT COLLATE "C", full_result BYTEA);
ALTER TABLE bodies ALTER COLUMN summary SET STORAGE EXTERNAL, ALTER COLUMN full_result SET STORAGE EXTERNAL;
CREATE TABLE artifacts (
id TEXT COLLATE "C" NOT NULL, machine_id TEXT COLLATE "C" NOT NULL, bytes BIGINT NOT NULL, kept_at BIGINT NOT NULL,
PRIMARY KEY (machine_id, id)
);
CREATE TABLE cached_values (
number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT COLLATE "C" NOT NULL UNIQUE, content BYTEA NOT NULL,
stored_at BIGINT NOT NULL, bytes BIGINT NOT NULL
);
ALTER TABLE cached_values ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE TABLE store_state (name TEXT COLLATE "C" PRIMARY KEY, value BIGINT NOT NULL);
-- Step 2
CREATE TABLE jobs (
id TEXT COLLATE "C" PRIMARY KEY, client TEXT COLLATE "C" NOT NULL, request TEXT NOT NULL, state TEXT COLLATE "C" NOT NULL,
total INTEGER NOT NULL, done INTEGER NOT NULL, failed INTEGER NOT NULL,
attempt INTEGER NOT NULL, owner TEXT COLLATE "C", beat BIGINT NOT NULL,
created_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT,
error TEXT, callback TEXT, schedule_id TEXT COLLATE "C"
);
CREATE INDEX jobs_unfinished ON jobs (created_at, id) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_by_client ON jobs (client, created_at, id);
CREATE TABLE job_pages (
job_id TEXT COLLATE "C" NOT NULL, position INTEGER NOT NULL, url TEXT NOT NULL, state TEXT COLLATE "C" NOT NULL,
tries INTEGER NOT NULL, same_as INTEGER, copies INTEGER NOT NULL, outcome TEXT, answer BYTEA,
PRIMARY KEY (job_id, position)
);
ALTER TABLE job_pages ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE TABLE job_events (
job_id TEXT COLLATE "C" NOT NULL, number INTEGER NOT NULL, event TEXT COLLATE "C" NOT NULL, data TEXT NOT NULL,
PRIMARY KEY (job_id, number)
);
CREATE TABLE schedules (
id TEXT COLLATE "C" PRIMARY KEY, client TEXT COLLATE "C" NOT NULL, request TEXT NOT NULL, urls TEXT NOT NULL, pages INTEGER NOT NULL,
rhythm TEXT NOT NULL, paused INTEGER NOT NULL, callback TEXT, callback_when TEXT COLLATE "C" NOT NULL,
created_at BIGINT NOT NULL, next_at BIGINT, last_at BIGINT, last_job_id TEXT COLLATE "C", previous_job_id TEXT COLLATE "C"
);
CREATE INDEX schedules_due ON schedules (next_at) WHERE paused = 0;
CREATE INDEX schedules_by_client ON schedules (client, created_at, id);
CREATE TABLE deliveries (
id TEXT COLLATE "C" PRIMARY KEY, job_id TEXT COLLATE "C" NOT NULL, url TEXT NOT NULL, body TEXT NOT NULL, state TEXT COLLATE "C" NOT NULL,
tries INTEGER NOT NULL, created_at BIGINT NOT NULL, next_at BIGINT NOT NULL, last_error TEXT
);
CREATE INDEX deliveries_due ON deliveries (next_at) WHERE state = 'waiting';
CREATE INDEX deliveries_by_job ON deliveries (job_id);
-- Step 3
ALTER TABLE results ADD COLUMN disturbed INTEGER;
ALTER TABLE results ADD COLUMN cpu_slowdown DOUBLE PRECISION;
ALTER TABLE results ADD COLUMN performance_min DOUBLE PRECISION;
ALTER TABLE results ADD COLUMN performance_max DOUBLE PRECISION;
ALTER TABLE results ADD COLUMN stored_at BIGINT;
ALTER TABLE results ALTER COLUMN stored_at SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
CREATE INDEX results_by_age ON results (coalesce(stored_at, measured_at), id) INCLUDE (bytes);
ALTER TABLE jobs ADD COLUMN policy TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN idempotency_key TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN order_digest TEXT COLLATE "C";
CREATE UNIQUE INDEX jobs_by_idempotency_key ON jobs (client, idempotency_key) WHERE idempotency_key IS NOT NULL;
ALTER TABLE schedules ADD COLUMN policy TEXT COLLATE "C";
ALTER TABLE schedules ADD COLUMN idempotency_key TEXT COLLATE "C";
ALTER TABLE schedules ADD COLUMN order_digest TEXT COLLATE "C";
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
ALTER TABLE deliveries ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'ended';
CREATE UNIQUE INDEX deliveries_by_event ON deliveries (job_id, kind);
CREATE TABLE job_takers (id TEXT COLLATE "C" PRIMARY KEY, targets TEXT NOT NULL, takes TEXT NOT NULL, seen_at BIGINT NOT NULL);
-- Step 4
CREATE TABLE job_secrets (job_id TEXT COLLATE "C" PRIMARY KEY, content TEXT NOT NULL);
CREATE TABLE lhci_projects (
id TEXT COLLATE "C" PRIMARY KEY, name TEXT NOT NULL, slug TEXT COLLATE "C" NOT NULL UNIQUE, external_url TEXT NOT NULL,
base_branch TEXT COLLATE "C" NOT NULL, token_digest TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL
);
CREATE TABLE lhci_builds (
id TEXT COLLATE "C" PRIMARY KEY, project_id TEXT COLLATE "C" NOT NULL, lifecycle TEXT COLLATE "C" NOT NULL, hash TEXT COLLATE "C" NOT NULL,
branch TEXT COLLATE "C" NOT NULL, label TEXT COLLATE "C" NOT NULL, ancestor_hash TEXT COLLATE "C", run_at BIGINT NOT NULL,
created_at BIGINT NOT NULL, facts TEXT NOT NULL,
UNIQUE (project_id, branch, hash)
);
CREATE INDEX lhci_builds_by_time ON lhci_builds (project_id, branch, run_at);
CREATE TABLE lhci_runs (
id TEXT COLLATE "C" PRIMARY KEY, build_id TEXT COLLATE "C" NOT NULL, url TEXT COLLATE "C" NOT NULL, strategy TEXT COLLATE "C" NOT NULL,
representative INTEGER NOT NULL, created_at BIGINT NOT NULL
);
CREATE INDEX lhci_runs_by_build ON lhci_runs (build_id, url);
-- Step 5
ALTER TABLE results ADD COLUMN benchmark_index DOUBLE PRECISION;
