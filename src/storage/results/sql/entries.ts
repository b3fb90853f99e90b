/** Entries as rows. Searchable facts are in `results`, whose rows are small; the JSON is in `bodies`. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  categoryNames,
  maxLabelCharacters,
  metricNames,
  type Profile,
  type Strategy,
} from '../../../contract/names.ts';
import { StoreFaultError } from '../../database/fault.ts';
import { placeholders, type Row, type SqlDatabase, type SqlValue, type Statement } from '../../database/sql.ts';
import { toCurrentNames } from '../older-names.ts';
import { isResultId } from '../result-id.ts';
import {
  type Entry,
  type EntryFacts,
  type EntryKind,
  type EntrySource,
  entryKinds,
  type FullResult,
  type NewEntry,
} from '../store.ts';
import { toArtifactInsert } from './artifact-rows.ts';

const maxUrlCharacters = 2048;
/** Max size of a summary: two results of less than 40 KB each, and their differences. */
const maxSummaryBytes = 128 * 1024;
const maxFullBytes = 32 * 1024 * 1024;

const isBetween = (value: number, min: number, max: number): boolean => value >= min && value <= max;
const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);
const charactersOf = (text: string): number => [...text].length;

const isLabel = (label: string | null): boolean =>
  label === null || (isPlainText(label) && isBetween(charactersOf(label), 1, maxLabelCharacters));

const rules: readonly (readonly [name: string, isFine: (entry: NewEntry) => boolean])[] = [
  ['The id is not a UUID of version 7.', ({ id }) => isResultId(id)],
  ['The group is not a UUID of version 7.', ({ groupId }) => groupId === null || isResultId(groupId)],
  ['The kind is unknown.', ({ kind }) => entryKinds.includes(kind)],
  ['The URL is empty or too long.', ({ url }) => isPlainText(url) && isBetween(url.length, 1, maxUrlCharacters)],
  ['The label is empty, longer than 100 characters, or has control characters.', ({ label }) => isLabel(label)],
  ['The time is not in milliseconds.', ({ measuredAtMs: at }) => Number.isSafeInteger(at) && at >= 0],
  [
    'The summary is larger than 128 KB.',
    ({ summary }) => isBetween(Buffer.byteLength(summary), 2, maxSummaryBytes) && summary.isWellFormed(),
  ],
  ['The whole result is larger than 32 MB.', ({ full }) => full === null || full.bytes.byteLength <= maxFullBytes],
  [
    'A score or a metric is not a number.',
    ({ scores, metrics }) =>
      [...Object.values(scores), ...Object.values(metrics)].every(value => value === null || Number.isFinite(value)),
  ],
];

/** Checks an entry, so that both engines refuse the same ones for the same reason. Returns undefined if it is valid. */
export const findEntryProblem = (entry: NewEntry): string | undefined =>
  rules.find(([, isFine]) => !isFine(entry))?.[0];

export const toColumn = (name: string): string => name.replaceAll('-', '_');

const valueNames = [...categoryNames, ...metricNames] as const;

type Column = readonly [name: string, of: (entry: EntryFacts) => SqlValue];

/** Columns in order, shared by all statements that read and write them. */
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
  ['disturbed', ({ disturbed }) => (disturbed === null ? null : Number(disturbed))],
  ['cpu_slowdown', ({ cpuSlowdown }) => cpuSlowdown],
  ['benchmark_index', ({ benchmarkIndex }) => benchmarkIndex],
  ['performance_min', ({ performanceRange }) => performanceRange?.min ?? null],
  ['performance_max', ({ performanceRange }) => performanceRange?.max ?? null],
  ...valueNames.map((name): Column => [toColumn(name), entry => ({ ...entry.scores, ...entry.metrics })[name]]),
];

export const factColumns: string = columns.map(([name]) => `results.${name}`).join(', ');

const columnNames = columns.map(([name]) => name);

const toMark = (value: number | null): boolean | null => (value === null ? null : value !== 0);

const toRange = (min: number | null, max: number | null): EntryFacts['performanceRange'] =>
  min === null || max === null ? null : { min, max };

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
    disturbed: toMark(at<number | null>('disturbed')),
    cpuSlowdown: at('cpu_slowdown'),
    benchmarkIndex: at('benchmark_index'),
    performanceRange: toRange(at('performance_min'), at('performance_max')),
    scores: valuesOf(categoryNames),
    metrics: valuesOf(metricNames),
    errorCode: at('error_code'),
    pageStatus: at('page_status'),
  };
};

/** Adds a checksum, to detect bytes that changed on the disk. */
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/**
 * Overhead per entry in bytes, in addition to its bodies: its row, index entries and half-filled pages. They count
 * towards the limit.
 */
const rowBytes = 1536;

export type StoredEntry = {
  id: string;
  bytes: number;
  statements: readonly Statement[];
  /** The entry that the statements write, which can be read from here while it waits. */
  entry: NewEntry;
};

export type EntryDates = {
  /** Time by the clock of the store; undefined if the database sets it. */
  storedAtMs: number | undefined;
  /** Time at which the artifacts were stored. */
  keptAtMs: number;
  machineId: string;
};

const toFactsInsert = (names: readonly string[]): string =>
  `INSERT INTO results (${names.join(', ')}) VALUES (${placeholders(names.length)}) ON CONFLICT (id) DO NOTHING`;
const insertFacts = toFactsInsert([...columnNames, 'bytes']);
const insertDatedFacts = toFactsInsert([...columnNames, 'bytes', 'stored_at']);
const insertBody = `INSERT INTO bodies (id, summary, coding, full_result) VALUES (${placeholders(4)})
  ON CONFLICT (id) DO NOTHING`;

/**
 * Prepares the statements that store an entry. Writing it twice stores it once, because after a fault it is unknown
 * whether the first write succeeded. A summary is about 10 KB: passing it to a thread would take as long as compressing
 * it here.
 */
export function toStoredEntry(entry: NewEntry, { storedAtMs, keptAtMs, machineId }: EntryDates): StoredEntry {
  const { id, full, artifactBytes } = entry;
  const summary = zstdCompressSync(entry.summary, withChecksum);
  const bytes = rowBytes + summary.byteLength + (full?.bytes.byteLength ?? 0);
  const statements = [
    storedAtMs === undefined
      ? { sql: insertFacts, values: [...columns.map(([, of]) => of(entry)), bytes] }
      : { sql: insertDatedFacts, values: [...columns.map(([, of]) => of(entry)), bytes, storedAtMs] },
    { sql: insertBody, values: [id, summary, full?.coding ?? null, full?.bytes ?? null] },
    ...(artifactBytes === undefined ? [] : [toArtifactInsert(machineId, { id, bytes: artifactBytes, keptAtMs })]),
  ];
  return { id, bytes, statements, entry };
}

/** Unpacks a summary. Returns undefined if its bytes have changed since they were written. */
const unpackSummary = (packed: SqlValue | undefined): string | undefined => {
  try {
    return zstdDecompressSync(packed as Uint8Array).toString();
  } catch {
    return undefined;
  }
};

/** @throws StoreFaultError of code `corrupt` if only the facts of the entry are readable */
export async function readEntry(database: Pick<SqlDatabase, 'rows'>, id: string): Promise<Entry | undefined> {
  const sql = `SELECT ${factColumns}, bodies.summary FROM results LEFT JOIN bodies ON bodies.id = results.id
    WHERE results.id = ?`;
  const [row] = await database.rows({ sql, values: [id] });
  if (row === undefined) return undefined;
  const summary = unpackSummary(row.at(-1));
  if (summary === undefined) throw new StoreFaultError('corrupt', 'The stored data of this result is damaged.');
  return { ...toFacts(row), summary: toCurrentNames(summary) };
}

export const hasEntry = async (database: Pick<SqlDatabase, 'rows'>, id: string): Promise<boolean> =>
  (await database.rows({ sql: 'SELECT id FROM results WHERE id = ?', values: [id] })).length > 0;

export async function readFull(database: SqlDatabase, id: string): Promise<FullResult | undefined> {
  const sql = 'SELECT coding, full_result FROM bodies WHERE id = ? AND full_result IS NOT NULL';
  const [row] = await database.rows({ sql, values: [id] });
  if (row === undefined) return undefined;
  const [coding, bytes] = row as [string, Uint8Array];
  return { coding, bytes };
}
