/**
 * Migrations of the tables, one step per version. Each part of the service contributes to the step of a version,
 * because the database has one version for all parts. A released step is never changed; a new one is added instead.
 * Steps only add tables and columns, so that the previous version continues to work during an upgrade.
 */
import { buildTables } from './tables/builds.ts';
import { jobTables } from './tables/jobs.ts';
import { resultTables } from './tables/results.ts';

/** Steps for both engines, with the same columns. A step is empty if it does not affect this part. */
export type TableSteps = { readonly sqlite: readonly string[]; readonly postgres: readonly string[] };

const parts: readonly TableSteps[] = [resultTables, jobTables, buildTables];

const join = (engine: keyof TableSteps): readonly string[] =>
  Array.from({ length: Math.max(...parts.map(part => part[engine].length)) }, (_, step) =>
    parts.map(part => part[engine][step] ?? '').join(''),
  );

export const sqliteMigrations = join('sqlite');
export const postgresMigrations = join('postgres');
