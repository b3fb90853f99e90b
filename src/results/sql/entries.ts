/** Entries as rows. What is searched stands in `results`, whose rows are small; what is only read stands in `bodies`. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { categoryNames, metricNames, type Profile, type Strategy } from '../../contract/names.ts';
import type { Entry, EntryFacts, EntryKind, EntrySource, FullResult, NewEntry } from '../store.ts';
import type { Row, SqlDatabase, SqlValue, Statement } from './database.ts';

export const toColumn = (name: string): string => name.replaceAll('-', '_');

const valueNames = [...categoryNames, ...metricNames] as const;

type Column = readonly [name: string, of: (entry: EntryFacts) => SqlValue];

/** The one list of columns: what is written, what is read, and in which order. */
const columns: readonly Column[] = [
  ['id', ({ id }) => id],
  ['kind', ({ kind }) => kind],
  ['group_id', ({ groupId }) => groupId],
  ['url', ({ url }) => url],
  ['host', ({ host }) => host],
  ['source', ({ source }) => source],
  ['strategy', ({ strategy }) => strategy],
  ['profile', ({ profile }) => profile],
  ['label', ({ label }) => label],
  ['analyser', ({ analyser }) => analyser.kind],
  ['analyser_host', ({ analyser }) => analyser.host],
  ['lighthouse_version', ({ analyser }) => analyser.lighthouseVersion],
  ['browser_version', ({ analyser }) => analyser.browserVersion],
  ['machine_id', ({ analyser }) => analyser.machineId],
  ['measured_at', ({ measuredAtMs }) => measuredAtMs],
  ['error_code', ({ errorCode }) => errorCode],
  ['page_status', ({ pageStatus }) => pageStatus],
  ...valueNames.map((name): Column => [toColumn(name), entry => ({ ...entry.scores, ...entry.metrics })[name]]),
];

export const factColumns: string = columns.map(([name]) => `results.${name}`).join(', ');

const columnNames = columns.map(([name]) => name);

export const toFacts = (row: Row): EntryFacts => {
  const at = <T extends SqlValue>(name: string) => (row[columnNames.indexOf(name)] ?? null) as T;
  const valuesOf = <N extends string>(names: readonly N[]) =>
    Object.fromEntries(names.map(name => [name, at<number | null>(toColumn(name))])) as Record<N, number | null>;
  return {
    id: at('id'),
    kind: at<EntryKind>('kind'),
    groupId: at('group_id'),
    url: at('url'),
    host: at('host'),
    source: at<EntrySource>('source'),
    strategy: at<Strategy>('strategy'),
    profile: at<Profile | null>('profile'),
    label: at('label'),
    analyser: {
      kind: at('analyser'),
      host: at('analyser_host'),
      lighthouseVersion: at('lighthouse_version'),
      browserVersion: at('browser_version'),
      machineId: at('machine_id'),
    },
    measuredAtMs: at('measured_at'),
    scores: valuesOf(categoryNames),
    metrics: valuesOf(metricNames),
    errorCode: at('error_code'),
    pageStatus: at('page_status'),
  };
};

/** What a row, its indexes and its half-filled pages take beside the bodies: counted, so that the bound is a bound. */
const rowBytes = 1536;

export type StoredEntry = { id: string; url: string; bytes: number; statements: readonly Statement[] };

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
const insertFacts = `INSERT INTO results (${columnNames.join(', ')}, bytes) VALUES (${marks(columns.length + 1)})
  ON CONFLICT (id) DO NOTHING`;
const insertBody = `INSERT INTO bodies (id, summary, coding, full_result) VALUES (${marks(4)})
  ON CONFLICT (id) DO NOTHING`;

/**
 * Written twice, an entry is there once: after a fault it is not known whether the first write succeeded. A summary is
 * some 10 KB: to hand it to another thread takes this one as long as to compress it, and then it waits.
 */
export function toStoredEntry(entry: NewEntry): StoredEntry {
  const { id, url, full } = entry;
  const summary = zstdCompressSync(entry.summary);
  const bytes = rowBytes + summary.byteLength + (full?.bytes.byteLength ?? 0);
  const statements = [
    { sql: insertFacts, values: [...columns.map(([, of]) => of(entry)), bytes] },
    { sql: insertBody, values: [id, summary, full?.coding ?? null, full?.bytes ?? null] },
  ];
  return { id, url, bytes, statements };
}

export async function readEntry(database: SqlDatabase, id: string): Promise<Entry | undefined> {
  const sql = `SELECT ${factColumns}, bodies.summary FROM results JOIN bodies ON bodies.id = results.id WHERE results.id = ?`;
  const [row] = await database.rows({ sql, values: [id] });
  if (row === undefined) return undefined;
  return { ...toFacts(row), summary: zstdDecompressSync(row.at(-1) as Uint8Array).toString() };
}

export const hasEntry = async (database: SqlDatabase, id: string): Promise<boolean> =>
  (await database.rows({ sql: 'SELECT id FROM results WHERE id = ?', values: [id] })).length > 0;

export async function readFull(database: SqlDatabase, id: string): Promise<FullResult | undefined> {
  const sql = 'SELECT coding, full_result FROM bodies WHERE id = ? AND full_result IS NOT NULL';
  const [row] = await database.rows({ sql, values: [id] });
  if (row === undefined) return undefined;
  const [coding, bytes] = row as [string, Uint8Array];
  return { coding, bytes };
}
