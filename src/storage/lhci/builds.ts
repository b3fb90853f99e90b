/** Projects, builds and runs of Lighthouse CI's protocol, as rows. Only digests of tokens are stored. */
import { createHash } from 'node:crypto';
import { changesOne, every, raw, readTexts, type SqlDatabase, type Statement, sql } from '../database/sql.ts';
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

/** @returns false if another project has the same id or slug */
export const addProject = (database: SqlDatabase, project: Project, tokenDigest: string): Promise<boolean> =>
  changesOne(database, lhciProjects.insert({ ...project, tokenDigest }));

type ProjectKey = { id: string } | { slug: string } | { token: string };

export async function findProject(database: SqlDatabase, key: ProjectKey): Promise<Project | undefined> {
  // A project may have been imported without a token.
  if ('token' in key && key.token === '') return undefined;
  const condition =
    'id' in key
      ? sql`id = ${key.id}`
      : 'slug' in key
        ? sql`slug = ${key.slug}`
        : sql`token_digest = ${toTokenDigest(key.token)}`;
  return (await projects.read(database, sql`WHERE ${condition}`))[0];
}

export const listProjects = (database: SqlDatabase): Promise<Project[]> =>
  projects.read(database, raw('ORDER BY name, id LIMIT 1000'));

/** @returns false if the project has a build of the same branch and hash */
export const addBuild = (database: SqlDatabase, build: Build): Promise<boolean> =>
  changesOne(database, lhciBuilds.insert(build));

export const findBuild = async (database: SqlDatabase, projectId: string, id: string): Promise<Build | undefined> =>
  (await lhciBuilds.all.read(database, sql`WHERE project_id = ${projectId} AND id = ${id}`))[0];

type BuildQuery = { branch?: string | undefined; hash?: string | undefined; limit: number };

/** Lists builds, newest first. */
export const listBuilds = (
  database: SqlDatabase,
  projectId: string,
  { branch, hash, limit }: BuildQuery,
): Promise<Build[]> =>
  lhciBuilds.all.read(
    database,
    sql`WHERE project_id = ${projectId} AND ${every(
      branch !== undefined && sql`branch = ${branch}`,
      hash !== undefined && sql`hash = ${hash}`,
    )} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
  );

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
  const read = async (rest: Statement) =>
    (
      await lhciBuilds.all.read(
        database,
        sql`WHERE project_id = ${projectId} AND branch = ${baseBranch} AND id <> ${build.id} AND lifecycle = 'sealed'
          AND ${rest} LIMIT 1`,
      )
    )[0];
  const byHash = build.ancestorHash === null ? undefined : await read(sql`hash = ${build.ancestorHash}`);
  if (byHash) return byHash;
  const before = await read(sql`run_at <= ${build.runAtMs} ORDER BY run_at DESC, id DESC`);
  if (build.branch === baseBranch) return before;
  const after = await read(sql`run_at >= ${build.runAtMs} ORDER BY run_at, id`);
  if (!before || !after) return before ?? after;
  return after.runAtMs - build.runAtMs < build.runAtMs - before.runAtMs ? after : before;
}

export const listBranches = (database: SqlDatabase, projectId: string): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT DISTINCT branch FROM lhci_builds WHERE project_id = ${projectId} ORDER BY branch LIMIT 1000`,
  );

/** Lists the URLs of all builds of a project, as the client sent them. */
export const listUrls = (database: SqlDatabase, projectId: string): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT DISTINCT url FROM lhci_runs JOIN lhci_builds ON lhci_builds.id = build_id
      WHERE project_id = ${projectId} ORDER BY url LIMIT 1000`,
  );

/** @returns false if the run already exists, or if the build was removed */
export const addRun = (database: SqlDatabase, { isRepresentative, ...run }: Run): Promise<boolean> =>
  changesOne(
    database,
    lhciRuns.insert(
      { ...run, representative: isRepresentative },
      sql`EXISTS (SELECT 1 FROM lhci_builds WHERE id = ${run.buildId})`,
    ),
  );

/** Lists runs, newest first. */
export const listRuns = async (database: SqlDatabase, buildId: string): Promise<Run[]> =>
  (await lhciRuns.all.read(database, sql`WHERE build_id = ${buildId} ORDER BY created_at DESC, id DESC`)).map(
    ({ representative, ...run }) => ({ ...run, isRepresentative: representative }),
  );

/** Returns the number of a build's runs, and the time of the newest one. */
export async function countRuns(
  database: SqlDatabase,
  buildId: string,
): Promise<{ count: number; newestAtMs: number }> {
  const [row] = await database.rows(
    sql`SELECT count(*), coalesce(max(created_at), 0) FROM lhci_runs WHERE build_id = ${buildId}`,
  );
  return { count: Number(row?.[0]), newestAtMs: Number(row?.[1]) };
}

/** Lists the stored results of a build's runs, except failures. */
export const listRunResults = async (database: SqlDatabase, buildId: string): Promise<EntryFacts[]> =>
  (
    await database.rows(sql`SELECT ${raw(factList)} FROM lhci_runs JOIN results ON results.id = lhci_runs.id
      WHERE build_id = ${buildId} AND kind = 'result' ORDER BY measured_at DESC, results.id DESC`)
  ).map(toFacts);

/** @param representativeIds one run for each page and device */
export async function sealBuild(
  database: SqlDatabase,
  buildId: string,
  representativeIds: readonly string[],
): Promise<void> {
  await database.write([
    sql`UPDATE lhci_builds SET lifecycle = 'sealed' WHERE id = ${buildId}`,
    ...representativeIds.map(id => sql`UPDATE lhci_runs SET representative = 1 WHERE id = ${id}`),
  ]);
}
