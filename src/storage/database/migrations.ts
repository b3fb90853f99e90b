/**
 * The tables of one database, as steps from one version to the next. Each part brings its own steps, by the same number:
 * a database has one version, whatever is in it. A step that was released is never changed: another is added. A step only
 * adds, so that a program of the version before works on meanwhile.
 */
import { buildTables } from './tables/builds.ts';
import { jobTables } from './tables/jobs.ts';
import { resultTables } from './tables/results.ts';

/** Both engines have the same columns. A step is empty if it does not concern the part. */
export type TableSteps = { readonly sqlite: readonly string[]; readonly postgres: readonly string[] };

const parts: readonly TableSteps[] = [resultTables, jobTables, buildTables];

const join = (engine: keyof TableSteps): readonly string[] =>
  resultTables[engine].map((_, step) => parts.map(part => part[engine][step] ?? '').join(''));

export const sqliteMigrations = join('sqlite');
export const postgresMigrations = join('postgres');
