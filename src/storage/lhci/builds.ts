/** Projects, builds and runs of Lighthouse CI's protocol, as rows. Only digests of tokens are stored. */
import { createHash } from 'node:crypto';
import type { Strategy } from '../../contract/names.ts';
import type { Row, SqlDatabase, SqlValue, Statement } from '../database/sql.ts';
import { factColumns, toFacts } from '../results/sql/entries.ts';
import type { EntryFacts } from '../results/store.ts';

export type Project = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly externalUrl: string;
  readonly baseBranch: string;
  readonly createdAtMs: number;
};

/** Facts that a client reports about a commit: its message, author and times. */
export type BuildFacts = Readonly<Record<string, string>>;

export type Build = {
  readonly id: string;
  readonly projectId: string;
  readonly lifecycle: 'unsealed' | 'sealed';
  readonly hash: string;
  readonly branch: string;
  /** Label of its results. */
  readonly label: string;
  readonly ancestorHash: string | null;
  readonly runAtMs: number;
  readonly createdAtMs: number;
  readonly facts: BuildFacts;
};

export type Run = {
  /** Id of its result, which may have been removed. */
  readonly id: string;
  readonly buildId: string;
  /** URL as the client sent it, such as `http://localhost:PORT/`. */
  readonly url: string;
  readonly strategy: Strategy;
  readonly isRepresentative: boolean;
  readonly createdAtMs: number;
};

export const toTokenDigest = (token: string): string => createHash('sha256').update(token).digest('base64url');

const projectColumns = 'id, name, slug, external_url, base_branch, created_at';

const toProject = ([id, name, slug, externalUrl, baseBranch, createdAt]: Row): Project => ({
  id: `${id}`,
  name: `${name}`,
  slug: `${slug}`,
  externalUrl: `${externalUrl}`,
  baseBranch: `${baseBranch}`,
  createdAtMs: Number(createdAt),
});

const buildColumns = 'id, project_id, lifecycle, hash, branch, label, ancestor_hash, run_at, created_at, facts';

const toBuild = ([id, projectId, lifecycle, hash, branch, label, ancestor, runAt, createdAt, facts]: Row): Build => ({
  id: `${id}`,
  projectId: `${projectId}`,
  lifecycle: lifecycle as Build['lifecycle'],
  hash: `${hash}`,
  branch: `${branch}`,
  label: `${label}`,
  ancestorHash: ancestor as string | null,
  runAtMs: Number(runAt),
  createdAtMs: Number(createdAt),
  facts: JSON.parse(`${facts}`) as BuildFacts,
});

const runColumns = 'id, build_id, url, strategy, representative, created_at';

const toRun = ([id, buildId, url, strategy, representative, createdAt]: Row): Run => ({
  id: `${id}`,
  buildId: `${buildId}`,
  url: `${url}`,
  strategy: strategy as Strategy,
  isRepresentative: representative === 1,
  createdAtMs: Number(createdAt),
});

const insertOnce = (table: string, columns: string, values: readonly SqlValue[]): Statement => ({
  sql: `INSERT INTO ${table} (${columns}) VALUES (${values.map(() => '?').join(', ')}) ON CONFLICT DO NOTHING`,
  values,
});

const writeOne = async (database: SqlDatabase, statement: Statement): Promise<boolean> =>
  (await database.write([statement]))[0] === 1;

/** @returns false if another project has the same id or slug */
export const addProject = (database: SqlDatabase, project: Project, tokenDigest: string): Promise<boolean> => {
  const { id, name, slug, externalUrl, baseBranch, createdAtMs } = project;
  const values = [id, name, slug, externalUrl, baseBranch, createdAtMs, tokenDigest];
  return writeOne(database, insertOnce('lhci_projects', `${projectColumns}, token_digest`, values));
};

type ProjectKey = { id: string } | { slug: string } | { token: string };

export async function findProject(database: SqlDatabase, key: ProjectKey): Promise<Project | undefined> {
  // A project may have been imported without a token.
  if ('token' in key && key.token === '') return undefined;
  const [column, value] =
    'id' in key ? ['id', key.id] : 'slug' in key ? ['slug', key.slug] : ['token_digest', toTokenDigest(key.token)];
  const sql = `SELECT ${projectColumns} FROM lhci_projects WHERE ${column} = ?`;
  return (await database.rows({ sql, values: [value] })).map(toProject)[0];
}

export const listProjects = async (database: SqlDatabase): Promise<Project[]> => {
  const sql = `SELECT ${projectColumns} FROM lhci_projects ORDER BY name, id LIMIT 1000`;
  return (await database.rows({ sql, values: [] })).map(toProject);
};

/** @returns false if the project has a build of the same branch and hash */
export const addBuild = (database: SqlDatabase, build: Build): Promise<boolean> => {
  const { id, projectId, lifecycle, hash, branch, label, ancestorHash, runAtMs, createdAtMs, facts } = build;
  const [where, when] = [
    [id, projectId, lifecycle, hash, branch, label],
    [ancestorHash, runAtMs, createdAtMs],
  ];
  return writeOne(database, insertOnce('lhci_builds', buildColumns, [...where, ...when, JSON.stringify(facts)]));
};

export async function findBuild(database: SqlDatabase, projectId: string, id: string): Promise<Build | undefined> {
  const sql = `SELECT ${buildColumns} FROM lhci_builds WHERE project_id = ? AND id = ?`;
  return (await database.rows({ sql, values: [projectId, id] })).map(toBuild)[0];
}

type BuildQuery = { branch?: string | undefined; hash?: string | undefined; limit: number };

/** Lists builds, newest first. */
export async function listBuilds(
  database: SqlDatabase,
  projectId: string,
  { branch, hash, limit }: BuildQuery,
): Promise<Build[]> {
  const given = Object.entries({ project_id: projectId, branch, hash }).filter(([, value]) => value !== undefined);
  const sql = `SELECT ${buildColumns} FROM lhci_builds WHERE ${given.map(([name]) => `${name} = ?`).join(' AND ')}
    ORDER BY created_at DESC, id DESC LIMIT ?`;
  const values = [...given.map(([, value]) => value ?? ''), limit];
  return (await database.rows({ sql, values })).map(toBuild);
}

/**
 * Returns the complete build of the base branch to compare with: the build of the ancestor commit, or the nearest one in time. A
 * build of the base branch itself is compared with an earlier one.
 */
export async function findAncestor(
  database: SqlDatabase,
  { id: projectId, baseBranch }: Project,
  build: Build,
): Promise<Build | undefined> {
  // An upload that never ended has no representative runs.
  const select = `SELECT ${buildColumns} FROM lhci_builds
    WHERE project_id = ? AND branch = ? AND id <> ? AND lifecycle = 'sealed'`;
  const of = [projectId, baseBranch, build.id];
  const read = async (rest: string, ...values: readonly SqlValue[]) =>
    (await database.rows({ sql: `${select} ${rest} LIMIT 1`, values: [...of, ...values] })).map(toBuild)[0];
  const byHash = build.ancestorHash === null ? undefined : await read('AND hash = ?', build.ancestorHash);
  if (byHash) return byHash;
  const before = await read('AND run_at <= ? ORDER BY run_at DESC, id DESC', build.runAtMs);
  if (build.branch === baseBranch) return before;
  const after = await read('AND run_at >= ? ORDER BY run_at, id', build.runAtMs);
  if (!before || !after) return before ?? after;
  return after.runAtMs - build.runAtMs < build.runAtMs - before.runAtMs ? after : before;
}

const mostTexts = 1000;
const textsOf = async (database: SqlDatabase, sql: string, ...values: readonly string[]): Promise<string[]> =>
  (await database.rows({ sql: `${sql} LIMIT ${mostTexts}`, values })).map(([text]) => `${text}`);

export const listBranches = (database: SqlDatabase, projectId: string): Promise<string[]> =>
  textsOf(database, 'SELECT DISTINCT branch FROM lhci_builds WHERE project_id = ? ORDER BY branch', projectId);

/** Lists the URLs of all builds of a project, as the client sent them. */
export const listUrls = (database: SqlDatabase, projectId: string): Promise<string[]> =>
  textsOf(
    database,
    `SELECT DISTINCT url FROM lhci_runs JOIN lhci_builds ON lhci_builds.id = build_id
      WHERE project_id = ? ORDER BY url`,
    projectId,
  );

/** @returns false if the run already exists, or if the build was removed */
export const addRun = (database: SqlDatabase, run: Run): Promise<boolean> => {
  const { id, buildId, url, strategy, isRepresentative, createdAtMs } = run;
  const texts = Array(4).fill('CAST(? AS TEXT)').join(', ');
  const sql = `INSERT INTO lhci_runs (${runColumns}) SELECT ${texts}, CAST(? AS INTEGER), CAST(? AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM lhci_builds WHERE id = ?) ON CONFLICT DO NOTHING`;
  const values = [id, buildId, url, strategy, Number(isRepresentative), createdAtMs, buildId];
  return writeOne(database, { sql, values });
};

/** Lists runs, newest first. */
export async function listRuns(database: SqlDatabase, buildId: string): Promise<Run[]> {
  const sql = `SELECT ${runColumns} FROM lhci_runs WHERE build_id = ? ORDER BY created_at DESC, id DESC`;
  return (await database.rows({ sql, values: [buildId] })).map(toRun);
}

/** Returns the number of a build's runs, and the time of the newest one. */
export async function countRuns(
  database: SqlDatabase,
  buildId: string,
): Promise<{ count: number; newestAtMs: number }> {
  const sql = 'SELECT count(*), coalesce(max(created_at), 0) FROM lhci_runs WHERE build_id = ?';
  const [row] = await database.rows({ sql, values: [buildId] });
  return { count: Number(row?.[0]), newestAtMs: Number(row?.[1]) };
}

/** Lists the stored results of a build's runs, except failures. */
export async function listRunResults(database: SqlDatabase, buildId: string): Promise<EntryFacts[]> {
  const sql = `SELECT ${factColumns} FROM lhci_runs JOIN results ON results.id = lhci_runs.id
    WHERE build_id = ? AND kind = 'result' ORDER BY measured_at DESC, results.id DESC`;
  return (await database.rows({ sql, values: [buildId] })).map(toFacts);
}

/** @param representativeIds one run for each page and device */
export async function sealBuild(
  database: SqlDatabase,
  buildId: string,
  representativeIds: readonly string[],
): Promise<void> {
  await database.write([
    { sql: "UPDATE lhci_builds SET lifecycle = 'sealed' WHERE id = ?", values: [buildId] },
    ...representativeIds.map(id => ({ sql: 'UPDATE lhci_runs SET representative = 1 WHERE id = ?', values: [id] })),
  ]);
}
