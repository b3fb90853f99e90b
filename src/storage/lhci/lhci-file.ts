/** Reads the SQLite file of a Lighthouse CI server, one Lighthouse result at a time. The file is not changed. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A row by column name. Files of older servers lack some columns. */
export type LhciRow = Readonly<Record<string, unknown>>;

export type LhciFile = {
  readonly projects: readonly LhciRow[];
  readonly builds: readonly LhciRow[];
  /** Lists runs, oldest first. `lhr` contains the Lighthouse result as text, if it is readable. */
  runs(): Iterable<LhciRow>;
  close(): void;
};

/** The file cannot be imported. The message explains in a sentence why. */
export class LhciFileError extends Error {}

const wanted = {
  projects: ['id', 'name', 'slug', 'externalUrl', 'token', 'baseBranch', 'createdAt'],
  builds: [
    ...['id', 'projectId', 'lifecycle', 'hash', 'branch', 'ancestorHash', 'runAt', 'createdAt', 'commitMessage'],
    ...['author', 'avatarUrl', 'externalBuildUrl', 'committedAt', 'ancestorCommittedAt'],
  ],
  runs: ['id', 'buildId', 'url', 'representative', 'createdAt'],
} as const;

/** @throws LhciFileError */
export function openLhciFile(path: string): LhciFile {
  if (!existsSync(path)) throw new LhciFileError(`There is no file ${path}.`);
  const database = new DatabaseSync(path, { readOnly: true });
  const columnsOf = (table: keyof typeof wanted): string[] => {
    const there = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
    const names = new Set(there.map(({ name }) => name));
    return wanted[table].filter(name => names.has(name));
  };
  const select = (table: keyof typeof wanted): string =>
    `SELECT ${columnsOf(table).join(', ')} FROM ${table} ORDER BY createdAt, id`;
  try {
    const missing = (['projects', 'builds', 'runs'] as const).filter(table => !columnsOf(table).includes('id'));
    if (missing.length > 0)
      throw new LhciFileError(
        `${path} is not the database of a Lighthouse CI server: it has no table ${missing.join(', ')}.`,
      );
    const one = database.prepare('SELECT lhr FROM runs WHERE id = ?');
    const readLhr = (id: unknown): unknown => {
      try {
        return one.get(String(id))?.lhr;
      } catch {
        // A damaged page of the file loses only the results on it.
        return undefined;
      }
    };
    return {
      projects: database.prepare(select('projects')).all(),
      builds: database.prepare(select('builds')).all(),
      *runs() {
        for (const run of database.prepare(select('runs')).all()) yield { ...run, lhr: readLhr(run.id) };
      },
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    if (error instanceof LhciFileError) throw error;
    throw new LhciFileError(`${path} cannot be read as a SQLite file.`, { cause: error });
  }
}
