/**
 * Rows that record which machine has the artifacts of an entry. The files are on its disk, wherever the database is.
 */
import { placeholders, readNumber, readTexts, type SqlDatabase } from '../../database/sql.ts';

const stepRows = 50;

export type ArtifactRow = { id: string; bytes: number };

/** Updates the size after compression. */
export const setArtifactBytes = (database: SqlDatabase, machineId: string, { id, bytes }: ArtifactRow) =>
  database.write([
    { sql: 'UPDATE artifacts SET bytes = ? WHERE machine_id = ? AND id = ?', values: [bytes, machineId, id] },
  ]);

export async function removeArtifactRows(database: SqlDatabase, machineId: string, ids: readonly string[]) {
  const marks = placeholders(ids.length);
  const sql = `DELETE FROM artifacts WHERE machine_id = ? AND id IN (${marks})`;
  if (ids.length > 0) await database.write([{ sql, values: [machineId, ...ids] }]);
}

export const sizeOfArtifacts = (database: SqlDatabase, machineId: string): Promise<number> =>
  readNumber(database, 'SELECT coalesce(sum(bytes), 0) FROM artifacts WHERE machine_id = ?', [machineId]);

export async function oldestArtifacts(database: SqlDatabase, machineId: string): Promise<ArtifactRow[]> {
  const sql = `SELECT id, bytes FROM artifacts WHERE machine_id = ? ORDER BY kept_at, id LIMIT ${stepRows}`;
  const rows = await database.rows({ sql, values: [machineId] });
  return rows.map(([id, bytes]) => ({ id: String(id), bytes: Number(bytes) }));
}

/** Returns the other machines that have artifacts of an entry. */
export const machinesWithArtifacts = (database: SqlDatabase, machineId: string, id: string): Promise<string[]> =>
  readTexts(database, 'SELECT machine_id FROM artifacts WHERE id = ? AND machine_id <> ? ORDER BY kept_at', [
    id,
    machineId,
  ]);

/** Returns artifacts without an entry, left when another machine removed it or a sweep was interrupted. */
export const artifactsWithoutEntry = (database: SqlDatabase, machineId: string): Promise<string[]> =>
  readTexts(
    database,
    `SELECT id FROM artifacts WHERE machine_id = ?
      AND NOT EXISTS (SELECT 1 FROM results WHERE results.id = artifacts.id) LIMIT ${stepRows}`,
    [machineId],
  );

/** Returns which of these ids have a row. */
export async function knownArtifacts(database: SqlDatabase, machineId: string, ids: readonly string[]) {
  const sql = `SELECT id FROM artifacts WHERE machine_id = ? AND id IN (${placeholders(ids.length)})`;
  return new Set(ids.length > 0 ? await readTexts(database, sql, [machineId, ...ids]) : []);
}
