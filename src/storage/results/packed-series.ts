/**
 * A series as the database returns it: rows as JSON. The thread that serves requests forwards the bytes, and only code
 * that needs the points parses them: copying ten thousand objects between threads, twice, would take too long.
 */
import type { Profile } from '../../contract/names.ts';
import type { EntryKind, PackedSeries, Series, SeriesFailure, SeriesPoint } from './store.ts';

/** Columns in the order of a row; the value is last. */
export const pointColumns = [
  ...['id', 'kind', 'group_id', 'measured_at', 'label', 'profile'],
  ...['analyser', 'analyser_host', 'lighthouse_version', 'browser_version', 'machine_id', 'disturbed'],
  'benchmark_index',
] as const;
export const failureColumns = ['id', 'measured_at', 'error_code', 'page_status'] as const;

type Text = string | null;
type PointRow = [
  ...[id: string, kind: EntryKind, groupId: Text, measuredAtMs: number, label: Text, profile: Profile | null],
  ...[analyser: string, host: Text, lighthouseVersion: Text, browserVersion: Text, machineId: Text],
  disturbed: number | null,
  benchmarkIndex: number | null,
  value: number | null,
];
type FailureRow = [id: string, measuredAtMs: number, errorCode: Text, pageStatus: number | null];

function toPoint(row: PointRow): SeriesPoint {
  const [id, kind, groupId, measuredAtMs, label, profile, analyser, host, ...rest] = row;
  const [lighthouseVersion, browserVersion, machineId, disturbed, benchmarkIndex, value] = rest;
  const identity = { kind: analyser, host, lighthouseVersion, browserVersion, machineId };
  return {
    id,
    kind,
    groupId,
    measuredAtMs,
    value,
    label,
    profile,
    analyser: identity,
    disturbed: disturbed === null ? null : disturbed !== 0,
    benchmarkIndex,
  };
}

const toFailure = ([id, measuredAtMs, errorCode, pageStatus]: FailureRow): SeriesFailure => ({
  id,
  measuredAtMs,
  errorCode,
  pageStatus,
});

const unpack = <Row>(bytes: Uint8Array): Row[] => JSON.parse(new TextDecoder().decode(bytes)) as Row[];

/** Parses a series and reverses it: the database returns the newest points first. */
export const unpackSeries = ({ points, failures }: PackedSeries): Series => ({
  points: unpack<PointRow>(points).map(toPoint).reverse(),
  failures: unpack<FailureRow>(failures).map(toFailure).reverse(),
});
