/**
 * A series as it leaves the database: rows as JSON. The thread that serves passes it on as it is, and only who looks at
 * the points unpacks it: ten thousand of them are too many to copy as objects from one thread to the next, twice.
 */
import type { Profile } from '../../contract/names.ts';
import type { EntryKind, PackedSeries, Series, SeriesFailure, SeriesPoint } from './store.ts';

/** In the order of a row; the value comes last. */
export const pointColumns = [
  ...['id', 'kind', 'group_id', 'measured_at', 'label', 'profile'],
  ...['analyser', 'analyser_host', 'lighthouse_version', 'browser_version', 'machine_id', 'disturbed'],
] as const;
export const failureColumns = ['id', 'measured_at', 'error_code', 'page_status'] as const;

type Text = string | null;
type PointRow = [
  ...[id: string, kind: EntryKind, groupId: Text, measuredAtMs: number, label: Text, profile: Profile | null],
  ...[analyser: string, host: Text, lighthouseVersion: Text, browserVersion: Text, machineId: Text],
  disturbed: number | null,
  value: number | null,
];
type FailureRow = [id: string, measuredAtMs: number, errorCode: Text, pageStatus: number | null];

function toPoint(row: PointRow): SeriesPoint {
  const [id, kind, groupId, measuredAtMs, label, profile, analyser, host, ...rest] = row;
  const [lighthouseVersion, browserVersion, machineId, disturbed, value] = rest;
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
  };
}

const toFailure = ([id, measuredAtMs, errorCode, pageStatus]: FailureRow): SeriesFailure => ({
  id,
  measuredAtMs,
  errorCode,
  pageStatus,
});

const unpack = <Row>(bytes: Uint8Array): Row[] => JSON.parse(new TextDecoder().decode(bytes)) as Row[];

/** The database gives the newest first. */
export const unpackSeries = ({ points, failures }: PackedSeries): Series => ({
  points: unpack<PointRow>(points).map(toPoint).reverse(),
  failures: unpack<FailureRow>(failures).map(toFailure).reverse(),
});
