/**
 * Rows that record which machine has the artifacts of an entry. The files are on its disk, wherever the database is.
 */
import { raw, readNumber, readTexts, type SqlDatabase, sql } from '../../database/sql.ts';
import { artifacts } from '../../database/tables.ts';

const step = raw('LIMIT 50');

export type ArtifactRow = { id: string; bytes: number };
const row = artifacts.pick('id', 'bytes');

/** Updates the size after compression. */
export const setArtifactBytes = (database: SqlDatabase, machineId: string, { id, bytes }: ArtifactRow) =>
  database.write([sql`UPDATE artifacts SET bytes = ${bytes} WHERE machine_id = ${machineId} AND id = ${id}`]);

export async function removeArtifactRows(database: SqlDatabase, machineId: string, ids: readonly string[]) {
  if (ids.length > 0)
    await database.write([sql`DELETE FROM artifacts WHERE machine_id = ${machineId} AND id IN (${ids})`]);
}

export const sizeOfArtifacts = (database: SqlDatabase, machineId: string): Promise<number> =>
  readNumber(database, sql`SELECT coalesce(sum(bytes), 0) FROM artifacts WHERE machine_id = ${machineId}`);

export const oldestArtifacts = (database: SqlDatabase, machineId: string): Promise<ArtifactRow[]> =>
  row.read(database, sql`WHERE machine_id = ${machineId} ORDER BY kept_at, id ${step}`);

/** Returns the other machines that have artifacts of an entry. */
export const machinesWithArtifacts = (database: SqlDatabase, machineId: string, id: string): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT machine_id FROM artifacts WHERE id = ${id} AND machine_id <> ${machineId} ORDER BY kept_at`,
  );

/** Returns artifacts without an entry, left when another machine removed it or a sweep was interrupted. */
export const artifactsWithoutEntry = (database: SqlDatabase, machineId: string): Promise<string[]> =>
  readTexts(
    database,
    sql`SELECT id FROM artifacts WHERE machine_id = ${machineId}
      AND NOT EXISTS (SELECT 1 FROM results WHERE results.id = artifacts.id) ${step}`,
  );

/** Returns which of these ids have a row. */
export async function knownArtifacts(database: SqlDatabase, machineId: string, ids: readonly string[]) {
  const known = sql`SELECT id FROM artifacts WHERE machine_id = ${machineId} AND id IN (${ids})`;
  return new Set(ids.length > 0 ? await readTexts(database, known) : []);
}
