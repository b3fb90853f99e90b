/** `rangelight store`: maintains stored results while no service uses them. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../contract/errors.ts';
import { readSettings } from '../settings/settings.ts';
import { StoreFaultError } from '../storage/database/fault.ts';
import { type CopyEnd, copyStore } from '../storage/results/copy-store.ts';
import { databaseFile } from '../storage/results/open-store.ts';
import { checkFile } from '../storage/results/sqlite/check-file.ts';
import { openConnection } from '../storage/results/sqlite/connection.ts';
import { toSqliteFault } from '../storage/results/sqlite/faults.ts';
import { isFileInUse, salvageInto } from '../storage/results/sqlite/salvage.ts';
import { trustClock } from '../storage/results/store-clock.ts';
import { CommandFailure, sayStopped } from './ask-json.ts';
import { exitCodes, type Running, write } from './command-context.ts';
import type { Wanted } from './input/arguments.ts';
import { UsageError } from './input/usage-error.ts';

type Working = Running & Pick<Wanted<'store'>, 'quiet'>;

/** Exit code if some data cannot be read. */
const damaged = 1;

type Place = { kind: 'file'; path: string; dataDir: string | undefined } | { kind: 'postgres'; url: string };

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function toPlace(text: string): Place {
  if (/^postgres(ql)?:/i.test(text)) {
    if (!URL.canParse(text)) throw new UsageError(['the PostgreSQL URL is not valid']);
    return { kind: 'postgres', url: text };
  }
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text))
    throw new UsageError(['a place is a folder, a .sqlite file or a PostgreSQL URL']);
  const path = resolve(text);
  if (isFolder(path) || (!existsSync(path) && !path.endsWith('.sqlite')))
    return { kind: 'file', path: join(path, databaseFile), dataDir: path };
  // A file with a different name, such as a damaged one, has no artifacts next to it.
  return { kind: 'file', path, dataDir: path.endsWith(`/${databaseFile}`) ? dirname(path) : undefined };
}

const placeOf = ({ env }: Running): Place => {
  const { databaseUrl, dataDir } = readSettings(env);
  if (databaseUrl !== undefined) return { kind: 'postgres', url: databaseUrl };
  if (dataDir === undefined) throw new UsageError(['DATA_DIR is none: name a place to check']);
  return toPlace(dataDir);
};

const assertThere = (place: Place): void => {
  if (place.kind === 'file' && !existsSync(place.path))
    throw new StoreFaultError('unavailable', `There is no database at ${place.path}.`);
};

type OpenEnd = CopyEnd & {
  /** SQL expression for the database's own time, as in SqlDatabase. */
  readonly nowSql?: string | undefined;
  close(): Promise<void>;
};

function openFile(path: string): OpenEnd {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const fault = toSqliteFault(error, path);
      if (fault.code !== 'locked') throw fault;
      throw new StoreFaultError('locked', `Another process uses ${path}. Stop the service first.`);
    }
  };
  const connection = attempt(() => openConnection(path, { busyTimeoutMs: 0, isAlone: true }));
  return {
    engine: 'sqlite',
    rows: async statement => attempt(() => connection.rows(statement)),
    write: async statements => attempt(() => connection.write(statements)),
    close: async () => connection.close(),
  };
}

const clientName = 'rangelight store';

async function openPostgres(url: string): Promise<OpenEnd> {
  const { createPostgresDatabase } = await import('../storage/results/postgres/database.ts');
  const database = createPostgresDatabase({ url, clientName });
  try {
    await database.open();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A running service would change copied rows, and work on jobs that the target also has. */
async function assertNoService(end: CopyEnd): Promise<void> {
  const sql = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
    AND application_name LIKE 'rangelight%' AND application_name <> ?`;
  const [row] = await end.rows({ sql, values: [clientName] });
  if (Number(row?.[0]) > 0)
    throw new StoreFaultError('locked', 'A service uses this PostgreSQL database. Stop it first.');
}

const openPlace = (place: Place): Promise<OpenEnd> =>
  place.kind === 'file' ? Promise.resolve(openFile(place.path)) : openPostgres(place.url);

const toLine = (name: string, count: number | null, rest = ''): string =>
  `${name.padEnd(14)} ${String(count ?? '?').padStart(9)}${rest}\n`;

async function check(place: Place, { results }: Running): Promise<number> {
  assertThere(place);
  if (place.kind === 'postgres') {
    const end = await openPostgres(place.url);
    try {
      const tables = await end.rows({
        sql: 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename',
        values: [],
      });
      for (const [table] of tables) {
        const [row] = await end.rows({
          sql: `SELECT count(*) FROM "${String(table).replaceAll('"', '""')}"`,
          values: [],
        });
        await results.write(toLine(String(table), Number(row?.[0])));
      }
      await results.write(
        'The rows of every table can be counted. PostgreSQL has its own tools to check for damage.\n',
      );
      return exitCodes.fine;
    } finally {
      await end.close();
    }
  }
  const { tables, faults } = checkFile(place.path);
  for (const { table, rows } of tables) await results.write(toLine(table, rows));
  for (const fault of faults) await results.write(`damaged: ${fault}\n`);
  await results.write(
    faults.length === 0
      ? 'The database has no damage.\n'
      : 'The database is damaged. rangelight store salvage copies its readable rows.\n',
  );
  return faults.length === 0 ? exitCodes.fine : damaged;
}

async function salvage(from: Place, to: Place, { results }: Running): Promise<number> {
  if (from.kind === 'postgres' || to.kind === 'postgres')
    throw new UsageError(['store salvage reads and writes files: copy the new file into PostgreSQL afterwards']);
  assertThere(from);
  if (resolve(from.path) === resolve(to.path)) throw new UsageError(['FROM and TO are the same file']);
  if (isFileInUse(from.path))
    throw new StoreFaultError('locked', `Another process uses ${from.path}. Stop the service first.`);
  const { tables, damagedPages } = salvageInto(from.path, to.path);
  for (const { table, copied, lost } of tables)
    await results.write(toLine(table, copied, lost > 0 ? `  ${lost} cannot be read` : ''));
  const isWhole = damagedPages === 0 && tables.every(({ lost }) => lost === 0);
  await results.write(
    isWhole ? 'Every row was copied.\n' : `Damaged pages of tables: ${damagedPages}. The other rows were copied.\n`,
  );
  return isWhole ? exitCodes.fine : damaged;
}

const readId = (dataDir: string): string | undefined => {
  const path = join(dataDir, 'machine-id');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
};

/** Copies artifacts. Files with the same name are the same, because a name is the id of a result. */
async function copyArtifacts(from: string, to: string): Promise<number> {
  if (!existsSync(join(from, 'artifacts'))) return 0;
  await mkdir(join(to, 'artifacts'), { recursive: true });
  for (const name of await readdir(join(from, 'artifacts'))) {
    const folder = join(to, 'artifacts', name);
    if (existsSync(folder)) continue;
    // The name appears with the whole folder, so that an interrupted copy is repeated.
    await rm(`${folder}.part`, { recursive: true, force: true });
    await cp(join(from, 'artifacts', name), `${folder}.part`, { recursive: true });
    await rename(`${folder}.part`, folder);
  }
  if (readId(to) === undefined && readId(from) !== undefined)
    await copyFile(join(from, 'machine-id'), join(to, 'machine-id'));
  return (await readdir(join(from, 'artifacts'))).length;
}

const dataDirOf = (place: Place): string | undefined => (place.kind === 'file' ? place.dataDir : undefined);

async function withEnd<T>(place: Place, work: (end: OpenEnd) => Promise<T>): Promise<T> {
  const end = await openPlace(place);
  try {
    return await work(end);
  } finally {
    await end.close();
  }
}

async function copyBetween(from: Place, to: Place, ends: { from: CopyEnd; to: CopyEnd }, around: Working) {
  const { results, stderr, signal, quiet } = around;
  const [fromDir, toDir] = [dataDirOf(from), dataDirOf(to)];
  if (fromDir !== undefined && toDir !== undefined)
    await results.write(toLine('traces', await copyArtifacts(fromDir, toDir)));
  const [fromId, toId] = [fromDir && readId(fromDir), toDir && readId(toDir)];
  const copied = await copyStore(ends.from, ends.to, {
    signal,
    // The files belong to the machine that now has them.
    replace: (table, column, value) =>
      table === 'artifacts' && column === 'machine_id' && toId && value === fromId ? toId : value,
    onTable: ({ table, copied: added }) => void (quiet || write(stderr, `${table}: ${added} rows\n`)),
  });
  for (const { table, copied: added, there, refused } of copied) {
    const rest = [there > 0 ? `  ${there} were there` : '', refused > 0 ? `  ${refused} refused` : ''].join('');
    await results.write(toLine(table, added, rest));
  }
  if (fromDir !== undefined && toDir === undefined)
    await results.write(`Traces are files and stay in ${fromDir}: keep that DATA_DIR when you set DATABASE_URL.\n`);
  return copied.some(({ refused }) => refused > 0) ? damaged : exitCodes.fine;
}

async function copy(from: Place, to: Place, around: Working): Promise<number> {
  assertThere(from);
  if (JSON.stringify(from) === JSON.stringify(to)) throw new UsageError(['FROM and TO are the same place']);
  return withEnd(from, async source => {
    if (source.engine === 'postgres') await assertNoService(source);
    return withEnd(to, target => copyBetween(from, to, { from: source, to: target }, around));
  });
}

const toTime = (ms: number): string => {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? `${ms} ms` : time.toISOString();
};

async function trust(place: Place, { results }: Running): Promise<number> {
  assertThere(place);
  const doubt = await withEnd(place, end => trustClock(end));
  await results.write(
    doubt === undefined
      ? 'The store does not doubt the clock.\n'
      : `The store trusts the clock: it is ${toTime(doubt.nowMs)}. The last recorded time was ${toTime(doubt.seenAtMs)}.\n`,
  );
  return exitCodes.fine;
}

async function run(args: readonly string[], around: Working): Promise<number> {
  const [command = '', ...places] = args;
  const [from, to] = places;
  const workOnOne = { check, 'trust-clock': trust }[command as 'check' | 'trust-clock'];
  if (workOnOne !== undefined && places.length > 1)
    throw new UsageError([`rangelight store ${command} takes at most one place`]);
  if (workOnOne !== undefined) return workOnOne(from === undefined ? placeOf(around) : toPlace(from), around);
  const work = { salvage, copy }[command as 'salvage' | 'copy'];
  if (work === undefined)
    throw new UsageError(['rangelight store has the commands check, salvage, copy and trust-clock']);
  if (from === undefined || to === undefined || places.length > 2)
    throw new UsageError([`rangelight store ${command} needs two places, FROM and TO`]);
  return work(toPlace(from), toPlace(to), around);
}

/** @returns the exit code. @throws CommandFailure, UsageError */
export async function runStore({ words, quiet }: Wanted<'store'>, around: Running): Promise<number> {
  try {
    return await run(words, { ...around, quiet });
  } catch (error) {
    if (around.signal.aborted) throw new CommandFailure(sayStopped);
    if (error instanceof UsageError) throw error;
    const said = messageOf(error);
    throw new CommandFailure(
      `rangelight: ${error instanceof StoreFaultError ? said : `The store cannot be used: ${said}`}`,
    );
  }
}
