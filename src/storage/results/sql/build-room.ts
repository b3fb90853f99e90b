/**
 * Measures and frees the space that uploaded builds take in the database of results: their own rows, and the results of
 * their runs. The other queries for builds are in src/storage/lhci/.
 */
import { raw, readNumber, readTexts, type SqlDatabase, type Statement, sql } from '../../database/sql.ts';

/** Overhead of a row and its index entries in bytes, in addition to its longer texts. */
const rowBytes = 500;
const stepRows = 50;
/** Time for the first upload of a build; afterwards, an empty build is removed. */
const emptyMs = 24 * 60 * 60_000;

const buildBytes = raw(`${rowBytes} + octet_length(facts) + 3 * octet_length(branch) + 2 * octet_length(hash)`);
const runBytes = raw(`${rowBytes} + 2 * octet_length(lhci_runs.url)`);
const bytesWithResults = sql`${buildBytes} + (SELECT coalesce(sum(${runBytes} + coalesce(results.bytes, 0)), 0)
  FROM lhci_runs LEFT JOIN results ON results.id = lhci_runs.id WHERE lhci_runs.build_id = lhci_builds.id)`;

type RemoveResults = (ids: readonly string[]) => Promise<void>;

/** Returns the size of the rows of builds and runs in bytes, without the results. */
export const sizeOfBuildRows = (database: SqlDatabase): Promise<number> =>
  readNumber(
    database,
    sql`SELECT (SELECT coalesce(sum(${buildBytes}), 0) FROM lhci_builds)
      + (SELECT coalesce(sum(${runBytes}), 0) FROM lhci_runs)`,
  );

/**
 * Removes a build with its runs and their results, a few at a time. The runs are removed after their results, and the
 * build last, so that an interrupted removal can continue.
 */
async function removeBuild(database: SqlDatabase, id: string, removeResults: RemoveResults): Promise<void> {
  const next = () => readTexts(database, sql`SELECT id FROM lhci_runs WHERE build_id = ${id} LIMIT ${stepRows}`);
  for (let ids = await next(); ids.length > 0; ids = await next()) {
    await removeResults(ids);
    await database.write([sql`DELETE FROM lhci_runs WHERE id IN (${ids})`]);
  }
  await database.write([sql`DELETE FROM lhci_builds WHERE id = ${id}`]);
}

/**
 * Removes builds from before a time of which no result is left, and builds of which none arrived within a day.
 * @returns their number
 */
export async function removeOldBuilds(
  database: SqlDatabase,
  { beforeMs, nowMs }: { beforeMs: number; nowMs: number },
  removeResults: RemoveResults,
): Promise<number> {
  const oldOnes = sql`SELECT id FROM lhci_builds WHERE created_at < ${Math.max(beforeMs, nowMs - emptyMs)}
    AND NOT EXISTS (SELECT 1 FROM lhci_runs JOIN results ON results.id = lhci_runs.id WHERE build_id = lhci_builds.id)
    AND (created_at < ${beforeMs} OR NOT EXISTS (SELECT 1 FROM lhci_runs WHERE build_id = lhci_builds.id))
    LIMIT ${stepRows}`;
  let removed = 0;
  for (let count = stepRows; count === stepRows; removed += count) {
    const old = await readTexts(database, oldOnes);
    for (const id of old) await removeBuild(database, id, removeResults);
    count = old.length;
  }
  return removed;
}

/** Reads the size of each project's builds in bytes, the largest first. */
const sizeByProject = sql`SELECT project_id, sum(${bytesWithResults}) AS bytes FROM lhci_builds
  GROUP BY project_id ORDER BY bytes DESC`;

const toOldestBuilds = (projectId: string): Statement =>
  sql`SELECT id, ${bytesWithResults} FROM lhci_builds WHERE project_id = ${projectId}
    ORDER BY created_at, id LIMIT ${stepRows}`;

const readSizes = async (database: SqlDatabase, statement: Statement): Promise<{ id: string; bytes: number }[]> =>
  (await database.rows(statement)).map(([id, bytes]) => ({ id: String(id), bytes: Number(bytes) }));

/**
 * Removes the oldest builds of whichever project takes the most space, until the store has no excess or all builds take
 * at most `keepBytes`. So a project with many builds displaces its own, not those of others.
 * @param readExcess measures by how many bytes the store exceeds its limit
 * @returns the number of removed builds
 */
export async function removeExcessBuilds(
  database: SqlDatabase,
  { keepBytes, readExcess }: { keepBytes: number; readExcess: () => Promise<number> },
  removeResults: RemoveResults,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const excess = await readExcess();
    const projects = excess > 0 ? await readSizes(database, sizeByProject) : [];
    const [largest, second] = projects;
    let beyond = Math.min(excess, projects.reduce((sum, { bytes }) => sum + bytes, 0) - keepBytes);
    if (!largest || beyond <= 0) return removed;
    let { bytes: left } = largest;
    for (const { id, bytes } of await readSizes(database, toOldestBuilds(largest.id))) {
      if (beyond <= 0 || left < (second?.bytes ?? 0)) break;
      await removeBuild(database, id, removeResults);
      removed += 1;
      beyond -= bytes;
      left -= bytes;
    }
  }
}
