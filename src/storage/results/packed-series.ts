/**
 * A series as the database returns it: rows as JSON. The thread that serves requests forwards the bytes, and only code
 * that needs the points parses them: copying ten thousand objects between threads, twice, would take too long.
 */
import type { SqlRow } from '../database/sql.ts';
import { results } from '../database/tables.ts';
import { withIdentity } from './sql/entries.ts';
import type { PackedSeries, Series, SeriesFailure, SeriesPoint } from './store.ts';

/** Columns of a point. The further values follow them, and the value is last. */
export const pointColumns = results.pick(
  ...(['id', 'kind', 'group_id', 'measured_at', 'label', 'profile', 'disturbed'] as const),
  ...(['cpu_slowdown', 'benchmark_index'] as const),
  ...(['analyser', 'analyser_host', 'lighthouse_version', 'browser_version', 'machine_id'] as const),
);
export const failureColumns = results.pick('id', 'measured_at', 'error_code', 'page_status');

const toPoint = (row: SqlRow, others: PackedSeries['others']): SeriesPoint => ({
  ...withIdentity(pointColumns.from(row)),
  value: row.at(-1) as number | null,
  others: Object.fromEntries(others.map((name, at) => [name, row.at(at - 1 - others.length) as number | null])),
});

export const unpack = (bytes: Uint8Array): SqlRow[] => JSON.parse(new TextDecoder().decode(bytes)) as SqlRow[];

/** Parses a series and reverses it: the database returns the newest points first. */
export const unpackSeries = ({ points, failures, others }: PackedSeries): Series => ({
  points: unpack(points)
    .map(row => toPoint(row, others))
    .reverse(),
  failures: unpack(failures)
    .map((row): SeriesFailure => failureColumns.from(row))
    .reverse(),
});
