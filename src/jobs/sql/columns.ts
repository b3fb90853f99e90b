/** Columns by their names, as rows come without. */
import type { Row, SqlValue } from '../../results/sql/database.ts';

export type ReadColumn = <T extends SqlValue>(name: string) => T;

export const toReader =
  (names: readonly string[]) =>
  (row: Row): ReadColumn =>
  <T extends SqlValue>(name: string) =>
    (row[names.indexOf(name)] ?? null) as T;

export const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

export const fromJson = <T>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T));
