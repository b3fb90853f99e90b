/** Entries as rows. Searchable facts are in `results`, whose rows are small; the JSON is in `bodies`. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  type Category,
  categoryNames,
  type MetricName,
  maxLabelCharacters,
  metricNames,
} from '../../../contract/names.ts';
import { StoreFaultError } from '../../database/fault.ts';
import { raw, type SqlDatabase, type SqlRow, type SqlValue, type Statement, sql } from '../../database/sql.ts';
import { type RowOf, toCamel } from '../../database/table.ts';
import { artifacts, bodies, entryKinds, results } from '../../database/tables.ts';
import { isResultId } from '../result-id.ts';
import type { AnalyserIdentity, Entry, EntryFacts, FullResult, NewEntry } from '../store.ts';

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

/** Column of a score or a metric. */
export const toColumn = (name: Category | MetricName) => name.replaceAll('-', '_') as ValueColumn;
type ValueColumn = Exclude<Category, 'best-practices'> | 'best_practices' | MetricName;

type FactColumn = Exclude<keyof typeof results.columns, ValueColumn | 'bytes' | 'stored_at'>;
const valueNames = [...categoryNames, ...metricNames];
export const isValueName = (name: string): name is (typeof valueNames)[number] =>
  (valueNames as readonly string[]).includes(name);
const others: readonly string[] = [...valueNames.map(toColumn), 'bytes', 'stored_at'];
const factNames = Object.keys(results.columns).filter(name => !others.includes(name)) as FactColumn[];
const known = results.pick(...factNames);
/** Columns of the facts of an entry; its scores and metrics are last. */
export const factList = [known.list, ...valueNames.map(name => `results.${toColumn(name)}`)].join(', ');

type IdentityRow = Pick<
  RowOf<typeof results.columns>,
  'analyser' | 'analyserHost' | 'lighthouseVersion' | 'browserVersion' | 'machineId'
>;

/** Gathers the columns of the analyser and its environment. */
export function withIdentity<Of extends IdentityRow>(row: Of) {
  const { analyser: kind, analyserHost: host, lighthouseVersion, browserVersion, machineId, ...rest } = row;
  const analyser: AnalyserIdentity = { kind, host, lighthouseVersion, browserVersion, machineId };
  return { ...rest, analyser };
}

export const toRange = (min: number | null, max: number | null): EntryFacts['performanceRange'] =>
  min === null || max === null ? null : { min, max };

/** @param row values of `factList` */
export function toFacts(row: SqlRow): EntryFacts {
  const { performanceMin, performanceMax, ...fact } = withIdentity(known.from(row));
  const values = row.slice(factNames.length) as (number | null)[];
  const valuesOf = <Name extends Category | MetricName>(names: readonly Name[]) =>
    Object.fromEntries(names.map(name => [name, values[valueNames.indexOf(name)] ?? null])) as Record<
      Name,
      number | null
    >;
  const performanceRange = toRange(performanceMin, performanceMax);
  return { ...fact, performanceRange, scores: valuesOf(categoryNames), metrics: valuesOf(metricNames) };
}

function toInsert(entry: EntryFacts, stored: { bytes: number; storedAtMs?: number }): Statement {
  const { analyser, scores, metrics, performanceRange, ...facts } = entry;
  const { kind, host, ...versions } = analyser;
  const values = Object.entries({ ...scores, ...metrics });
  return results.insert({
    ...facts,
    ...stored,
    ...versions,
    analyser: kind,
    analyserHost: host,
    performanceMin: performanceRange?.min ?? null,
    performanceMax: performanceRange?.max ?? null,
    ...Object.fromEntries(values.map(([name, value]) => [toCamel(name.replaceAll('-', '_')), value])),
  });
}

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
    toInsert(entry, { bytes, ...(storedAtMs === undefined ? {} : { storedAtMs }) }),
    bodies.insert({ id, summary, coding: full?.coding ?? null, fullResult: full?.bytes ?? null }),
    ...(artifactBytes === undefined ? [] : [artifacts.insert({ id, machineId, bytes: artifactBytes, keptAtMs })]),
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
  const [row] = await database.rows(
    sql`SELECT ${raw(factList)}, bodies.summary FROM results LEFT JOIN bodies ON bodies.id = results.id
      WHERE results.id = ${id}`,
  );
  if (row === undefined) return undefined;
  const summary = unpackSummary(row.at(-1));
  if (summary === undefined) throw new StoreFaultError('corrupt', 'The stored data of this result is damaged.');
  return { ...toFacts(row), summary };
}

export const hasEntry = async (database: Pick<SqlDatabase, 'rows'>, id: string): Promise<boolean> =>
  (await database.rows(sql`SELECT id FROM results WHERE id = ${id}`)).length > 0;

export async function readFull(database: SqlDatabase, id: string): Promise<FullResult | undefined> {
  const [row] = await database.rows(
    sql`SELECT coding, full_result FROM bodies WHERE id = ${id} AND full_result IS NOT NULL`,
  );
  if (row === undefined) return undefined;
  const [coding, bytes] = row as [string, Uint8Array];
  return { coding, bytes };
}
