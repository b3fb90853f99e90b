/**
 * All tables of the store. Each index ends with the other columns that a list filters by, so that rows that do not match
 * are skipped inside the index: even a list without a match reads no row of the table.
 */
import type { Source } from '../../contract/errors.ts';
import type { Profile, Strategy } from '../../contract/names.ts';
import {
  byteCount,
  bytes,
  defineTable,
  flag,
  integer,
  json,
  key,
  optional,
  primaryKey,
  prose,
  real,
  serial,
  since,
  text,
  time,
  unique,
  withDefault,
} from './table.ts';

/** Kinds of entries. A `run` is one of several runs, another of which is the result. All of them share a `groupId`. */
export const entryKinds = ['result', 'run', 'failure', 'comparison', 'experiment'] as const;
export type EntryKind = (typeof entryKinds)[number];
export type EntrySource = Source | 'compare';

const score = () => optional(real());

/** Searchable facts of entries. Their JSON is in `bodies`, so that these rows are small. */
export const results = defineTable('results', {
  id: key(text()),
  kind: text<EntryKind>(),
  group_id: optional(text()),
  url: text(),
  host: text(),
  source: text<EntrySource>(),
  strategy: text<Strategy>(),
  profile: optional(text<Profile>()),
  label: optional(text()),
  analyser: text(),
  analyser_host: optional(text()),
  lighthouse_version: optional(text()),
  browser_version: optional(text()),
  machine_id: optional(text()),
  measured_at: time(),
  error_code: optional(text()),
  page_status: optional(integer()),
  performance: score(),
  accessibility: score(),
  best_practices: score(),
  seo: score(),
  first_contentful_paint: score(),
  largest_contentful_paint: score(),
  total_blocking_time: score(),
  cumulative_layout_shift: score(),
  speed_index: score(),
  interactive: score(),
  server_response_time: score(),
  bytes: byteCount(),
  disturbed: since(3, optional(flag())),
  cpu_slowdown: since(3, optional(real())),
  performance_min: since(3, optional(real())),
  performance_max: since(3, optional(real())),
  /** Time of storing, by the clock of the store; null for results of earlier versions. */
  stored_at: since(3, optional(time())),
  benchmark_index: since(5, optional(real())),
  /** Name of the conditions of the load; null without any. Results under different conditions are different pages. */
  conditions: since(6, optional(text())),
  /** Milliseconds by name: user timings, and the CPU time of the main thread. */
  custom_metrics: since(6, optional(json<Readonly<Record<string, number>>>())),
});

export const bodies = defineTable('bodies', {
  id: key(text()),
  summary: bytes(),
  coding: optional(text()),
  full_result: optional(bytes()),
});

/** Machine that has the files of an entry. */
export const artifacts = defineTable(
  'artifacts',
  { id: text(), machine_id: text(), bytes: byteCount(), kept_at: time() },
  'PRIMARY KEY (machine_id, id)',
);

export const cachedValues = defineTable('cached_values', {
  number: serial(),
  name: unique(text()),
  content: bytes(),
  stored_at: time(),
  bytes: byteCount(),
});

export const storeState = defineTable('store_state', { name: primaryKey(text()), value: byteCount() });

export const jobs = defineTable('jobs', {
  id: key(text()),
  client: text(),
  request: json(),
  state: text(),
  total: integer(),
  done: integer(),
  failed: integer(),
  attempt: integer(),
  owner: optional(text()),
  beat: byteCount(),
  created_at: time(),
  started_at: optional(time()),
  ended_at: optional(time()),
  error: optional(json()),
  callback: optional(prose()),
  schedule_id: optional(text()),
  policy: since(3, optional(text())),
  idempotency_key: since(3, optional(text())),
  order_digest: since(3, optional(text())),
});

export const jobPages = defineTable(
  'job_pages',
  {
    job_id: text(),
    position: integer(),
    url: prose(),
    state: text(),
    tries: integer(),
    same_as: optional(integer()),
    copies: integer(),
    outcome: optional(json()),
    answer: optional(bytes()),
  },
  'PRIMARY KEY (job_id, position)',
);

export const jobEvents = defineTable(
  'job_events',
  { job_id: text(), number: integer(), event: text(), data: prose() },
  'PRIMARY KEY (job_id, number)',
);

/** Secrets of a job, such as the headers of an experiment and a sealed access, which are erased with its end. */
export const jobSecrets = defineTable('job_secrets', { job_id: key(text()), content: prose() });

/** Accesses to private pages that clients have stored: `content` is sealed, see storage/access/vault.ts. */
export const accessProfiles = defineTable(
  'access_profiles',
  {
    client: text(),
    name: text(),
    origins: json<readonly string[]>(),
    content: prose(),
    created_at: time(),
    stored_at: time(),
  },
  'PRIMARY KEY (client, name)',
);

/** Rules of the instances that take jobs. */
export const jobTakers = defineTable('job_takers', {
  id: key(text()),
  targets: prose(),
  takes: json(),
  seen_at: time(),
});

export const schedules = defineTable('schedules', {
  id: key(text()),
  client: text(),
  request: json(),
  urls: json(),
  pages: integer(),
  rhythm: json(),
  paused: flag(),
  callback: optional(prose()),
  callback_when: text(),
  created_at: time(),
  next_at: optional(time()),
  last_at: optional(time()),
  last_job_id: optional(text()),
  previous_job_id: optional(text()),
  policy: since(3, optional(text())),
  idempotency_key: since(3, optional(text())),
  order_digest: since(3, optional(text())),
  /** Changes that callbacks have named, by page: see jobs/schedules/. */
  alerts: since(6, optional(json())),
});

export const deliveries = defineTable('deliveries', {
  id: key(text()),
  job_id: text(),
  url: prose(),
  body: prose(),
  state: text(),
  tries: integer(),
  created_at: time(),
  next_at: time(),
  last_error: optional(prose()),
  kind: since(3, withDefault(text(), "'ended'")),
});

export const lhciProjects = defineTable('lhci_projects', {
  id: key(text()),
  name: prose(),
  slug: unique(text()),
  external_url: prose(),
  base_branch: text(),
  token_digest: text(),
  created_at: time(),
});

export const lhciBuilds = defineTable(
  'lhci_builds',
  {
    id: key(text()),
    project_id: text(),
    lifecycle: text<'unsealed' | 'sealed'>(),
    hash: text(),
    branch: text(),
    /** Label of its results. */
    label: text(),
    ancestor_hash: optional(text()),
    run_at: time(),
    created_at: time(),
    /** Facts that a client reports about a commit: its message, author and times. */
    facts: json<Readonly<Record<string, string>>>(),
  },
  'UNIQUE (project_id, branch, hash)',
);

/** A run has the id of its result, which retention may remove before the run. */
export const lhciRuns = defineTable('lhci_runs', {
  id: key(text()),
  build_id: text(),
  /** URL as the client sent it, such as `http://localhost:PORT/`. */
  url: text(),
  strategy: text<Strategy>(),
  representative: flag(),
  created_at: time(),
});

/** Events that may explain a change, such as deploys. */
export const notes = defineTable('notes', {
  id: key(text()),
  client: text(),
  host: text(),
  /** The only page that a note is about. */
  url: optional(text()),
  text: prose(),
  link: optional(prose()),
  at: time(),
});

/**
 * Tables in the order of copying: pending work first. A body is copied before its result, and a result before its run,
 * so that every listed entry can be read. The cache is not copied, because it fills again by itself.
 */
export const copiedTables = [
  ...[schedules, jobs, jobPages, jobEvents, deliveries, bodies, results, artifacts],
  ...[lhciProjects, lhciBuilds, lhciRuns, jobSecrets, accessProfiles, jobTakers, notes, storeState],
];
