/** State of the store. Each row contains a name and a whole number. */
import { raw, type SqlDatabase, type Statement, sql } from '../../database/sql.ts';

export const stateInsert = 'INSERT INTO store_state (name, value) VALUES (';

export const toState = (name: string, value: number): Statement =>
  sql`${raw(stateInsert)}${name}, ${value}) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Returns the values of these names, and the time of the database as `now` if it has a clock of its own. */
export async function readState<Name extends string>(
  database: Pick<SqlDatabase, 'rows' | 'nowSql'>,
  names: readonly Name[],
): Promise<Partial<Record<Name | 'now', number>>> {
  const time = database.nowSql === undefined ? '' : ` UNION ALL SELECT 'now', ${database.nowSql}`;
  const rows = await database.rows(sql`SELECT name, value FROM store_state WHERE name IN (${names})${raw(time)}`);
  return Object.fromEntries(rows.map(([name, value]) => [String(name), Number(value)])) as Partial<
    Record<Name | 'now', number>
  >;
}
