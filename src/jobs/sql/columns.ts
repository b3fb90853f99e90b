/** Selects columns by name, because rows are arrays without names. */
import type { Row, SqlValue, Statement } from '../../storage/database/sql.ts';

export type ReadColumn = <T extends SqlValue>(name: string) => T;

export const toReader =
  (names: readonly string[]) =>
  (row: Row): ReadColumn =>
  <T extends SqlValue>(name: string) =>
    (row[names.indexOf(name)] ?? null) as T;

export const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));

/** The newest entries, or those before an id. */
export type ListPlace = { limit: number; before?: string | null };

/** Builds the condition for a list. Ids sort by time. @param client null for all clients */
export function whereListed(client: string | null, { limit, before = null }: ListPlace): Statement {
  const conditions = [...(client === null ? [] : ['client = ?']), ...(before === null ? [] : ['id < ?'])];
  return {
    sql: `${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY id DESC LIMIT ?`,
    values: [...(client === null ? [] : [client]), ...(before === null ? [] : [before]), limit],
  };
}
