/** Projects, builds and runs of Lighthouse CI's protocol, as rows. Only digests of tokens are stored. */
import { createHash } from 'node:crypto';
import { readTexts, type SqlDatabase, type SqlValue, type Statement } from '../database/sql.ts';
import type { RowOf } from '../database/table.ts';
import { lhciBuilds, lhciProjects, lhciRuns } from '../database/tables.ts';
import { factList, toFacts } from '../results/sql/entries.ts';
import type { EntryFacts } from '../results/store.ts';

export type Project = Readonly<Omit<RowOf<typeof lhciProjects.columns>, 'tokenDigest'>>;
export type Build = Readonly<RowOf<typeof lhciBuilds.columns>>;
export type BuildFacts = Build['facts'];
/** A run has the id of its result, which may have been removed. */
export type Run = Readonly<Omit<RowOf<typeof lhciRuns.columns>, 'representative'>> & {
  readonly isRepresentative: boolean;
};

export const toTokenDigest = (token: string): string => createHash('sha256').update(token).digest('base64url');

const projects = lhciProjects.pick('id', 'name', 'slug', 'external_url', 'base_branch', 'created_at');

const writeOne = async (database: SqlDatabase, statement: Statement): Promise<boolean> =>
  (await database.write([statement]))[0] === 1;

/** @returns false if another project has the same id or slug */
export const addProject = (database: SqlDatabase, project: Project, tokenDigest: string): Promise<boolean> =>
  writeOne(database, lhciProjects.insert({ ...project, tokenDigest }));

type ProjectKey = { id: string } | { slug: string } | { token: string };

export async function findProject(database: SqlDatabase, key: ProjectKey): Promise<Project | undefined> {
  // A project may have been imported without a token.
  if ('token' in key && key.token === '') return undefined;
  const [column, value] =
    'id' in key ? ['id', key.id] : 'slug' in key ? ['slug', key.slug] : ['token_digest', toTokenDigest(key.token)];
  const sql = `SELECT ${projects.list} FROM lhci_projects WHERE ${column} = ?`;
  return (await database.rows({ sql, values: [value] })).map(projects.from)[0];
}

export const listProjects = async (database: SqlDatabase): Promise<Project[]> => {
  const sql = `SELECT ${projects.list} FROM lhci_projects ORDER BY name, id LIMIT 1000`;
  return (await database.rows({ sql, values: [] })).map(projects.from);
};

/** @returns false if the project has a build of the same branch and hash */
export const addBuild = (database: SqlDatabase, build: Build): Promise<boolean> =>
  writeOne(database, lhciBuilds.insert(build));

export async function findBuild(database: SqlDatabase, projectId: string, id: string): Promise<Build | undefined> {
  const sql = `SELECT ${lhciBuilds.all.list} FROM lhci_builds WHERE project_id = ? AND id = ?`;
  return (await database.rows({ sql, values: [projectId, id] })).map(lhciBuilds.all.from)[0];
}

type BuildQuery = { branch?: string | undefined; hash?: string | undefined; limit: number };

/** Lists builds, newest first. */
export async function listBuilds(
  database: SqlDatabase,
  projectId: string,
  { branch, hash, limit }: BuildQuery,
): Promise<Build[]> {
  const given = Object.entries({ project_id: projectId, branch, hash }).filter(([, value]) => value !== undefined);
  const sql = `SELECT ${lhciBuilds.all.list} FROM lhci_builds WHERE ${given.map(([name]) => `${name} = ?`).join(' AND ')}
    ORDER BY created_at DESC, id DESC LIMIT ?`;
  const values = [...given.map(([, value]) => value ?? ''), limit];
  return (await database.rows({ sql, values })).map(lhciBuilds.all.from);
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
  const select = `SELECT ${lhciBuilds.all.list} FROM lhci_builds
    WHERE project_id = ? AND branch = ? AND id <> ? AND lifecycle = 'sealed'`;
  const of = [projectId, baseBranch, build.id];
  const read = async (rest: string, ...values: readonly SqlValue[]) =>
    (await database.rows({ sql: `${select} ${rest} LIMIT 1`, values: [...of, ...values] })).map(lhciBuilds.all.from)[0];
  const byHash = build.ancestorHash === null ? undefined : await read('AND hash = ?', build.ancestorHash);
  if (byHash) return byHash;
  const before = await read('AND run_at <= ? ORDER BY run_at DESC, id DESC', build.runAtMs);
  if (build.branch === baseBranch) return before;
  const after = await read('AND run_at >= ? ORDER BY run_at, id', build.runAtMs);
  if (!before || !after) return before ?? after;
  return after.runAtMs - build.runAtMs < build.runAtMs - before.runAtMs ? after : before;
}

const mostTexts = 1000;
const textsOf = (database: SqlDatabase, sql: string, ...values: readonly string[]): Promise<string[]> =>
  readTexts(database, `${sql} LIMIT ${mostTexts}`, values);

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
export const addRun = (database: SqlDatabase, { isRepresentative, ...run }: Run): Promise<boolean> => {
  const condition = { sql: 'EXISTS (SELECT 1 FROM lhci_builds WHERE id = ?)', values: [run.buildId] };
  return writeOne(database, lhciRuns.insert({ ...run, representative: isRepresentative }, condition));
};

/** Lists runs, newest first. */
export async function listRuns(database: SqlDatabase, buildId: string): Promise<Run[]> {
  const sql = `SELECT ${lhciRuns.all.list} FROM lhci_runs WHERE build_id = ? ORDER BY created_at DESC, id DESC`;
  const rows = (await database.rows({ sql, values: [buildId] })).map(lhciRuns.all.from);
  return rows.map(({ representative, ...run }) => ({ ...run, isRepresentative: representative }));
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
  const sql = `SELECT ${factList} FROM lhci_runs JOIN results ON results.id = lhci_runs.id
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
