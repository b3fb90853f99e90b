import type { Gap } from '../../contract/stored/history.ts';
import { toCounted } from '../../measure/lhr/runs.ts';
import { sayUtc } from '../../presentation/numbers.ts';
import { isMeasured, medianOf, tidy, toSorted } from '../../presentation/values.ts';
import type { SeriesFailure, SeriesPoint } from '../../storage/results/store.ts';

type Reason = Gap['reasons'][number];

export const toIso = (ms: number): string => new Date(ms).toISOString();

function toReasons(failures: readonly SeriesFailure[]): Reason[] {
  const reasons = new Map<string, Reason>();
  for (const { errorCode: code, pageStatus: page_status } of failures) {
    const key = `${code} ${page_status}`;
    const reason = reasons.get(key) ?? { code, page_status, failures: 0 };
    reasons.set(key, { ...reason, failures: reason.failures + 1 });
  }
  return [...reasons.values()].sort((a, b) => b.failures - a.failures);
}

/** Formats a reason as `page error 503`. */
const sayReason = ({ code, page_status }: Reason): string =>
  [code?.replaceAll('_', ' ') ?? 'failure', page_status].filter(word => word !== null).join(' ');

const sayReasons = (reasons: readonly Reason[]): string =>
  reasons.length === 1
    ? reasons.map(sayReason).join('')
    : reasons.map(reason => `${sayReason(reason)} (${reason.failures}×)`).join(', ');

function toGap(failures: readonly SeriesFailure[]): Gap {
  const times = failures.map(({ measuredAtMs }) => measuredAtMs);
  const [from, to] = [toIso(times[0] ?? 0), toIso(times.at(-1) ?? 0)];
  const reasons = toReasons(failures);
  const when = from === to ? `at ${sayUtc(from)}` : `from ${sayUtc(from)} to ${sayUtc(to)}`;
  return { from, to, failures: failures.length, reasons, explanation: `${sayReasons(reasons)} ${when}` };
}

/** Joins failures without a point between them into one gap. Both lists are in the order of their times. */
export function toGaps(pointTimesMs: readonly number[], failures: readonly SeriesFailure[]): Gap[] {
  const gaps: SeriesFailure[][] = [];
  let [passed, passedByLast] = [0, -1];
  for (const failure of failures) {
    while (passed < pointTimesMs.length && (pointTimesMs[passed] as number) <= failure.measuredAtMs) passed += 1;
    if (passed === passedByLast) gaps.at(-1)?.push(failure);
    else gaps.push([failure]);
    passedByLast = passed;
  }
  return gaps.map(toGap);
}

/** One request of a page: its result, or the median of its runs. */
export type Point = Omit<SeriesPoint, 'kind' | 'groupId' | 'value'> & {
  readonly value: number;
  /** Ids of all runs with a value, oldest first. */
  readonly ids: readonly string[];
};

export type Points = {
  /** Points, oldest first. */
  readonly points: readonly Point[];
  readonly withoutValue: number;
};

function toGroups(series: readonly SeriesPoint[]): SeriesPoint[][] {
  const groups = new Map<string, SeriesPoint[]>();
  for (const point of series) {
    const key = point.groupId ?? point.id;
    const group = groups.get(key);
    if (group) group.push(point);
    else groups.set(key, [point]);
  }
  return [...groups.values()];
}

/** Returns whether a run was disturbed; null if unknown. */
const toMark = (group: readonly SeriesPoint[]): boolean | null => {
  const marks = group.map(({ disturbed }) => disturbed);
  return marks.includes(true) || (marks.includes(false) ? false : null);
};

/** Returns the median of each further value. */
const toOthers = (runs: readonly SeriesPoint[]): Point['others'] =>
  Object.fromEntries(
    Object.keys(runs[0]?.others ?? {}).map(name => {
      const values = toSorted(runs.flatMap(({ others }) => others[name as keyof typeof others] ?? []));
      return [name, values.length > 0 ? tidy(medianOf(values)) : null];
    }),
  );

/**
 * Combines the runs of one result into a point. They are represented by the displayed result or, if it was removed, by
 * the first run. Disturbed runs do not count towards a time or the performance score, unless all were disturbed.
 */
function toPoint(group: readonly SeriesPoint[], isTimed: boolean): Point | undefined {
  const all = group.filter(({ value }) => isMeasured(value));
  const measured = isTimed ? toCounted(all) : all;
  const shown = all.find(({ kind }) => kind === 'result') ?? all[0];
  if (!shown) return undefined;
  const { kind, groupId, ...facts } = shown;
  return {
    ...facts,
    value: tidy(medianOf(toSorted(measured.map(({ value }) => value)))),
    others: measured.length === 1 ? (measured[0]?.others ?? {}) : toOthers(measured),
    ids: measured.map(({ id }) => id),
    disturbed: toMark(measured),
  };
}

/** A PSI server answers requests in quick succession with the same measurement. */
const isRepeated = (point: Point, previous: Point | undefined): boolean =>
  point.measuredAtMs === previous?.measuredAtMs && point.value === previous.value;

/** Combines the runs of a request, which would otherwise weigh as much as several. */
export function toPoints(series: readonly SeriesPoint[], isTimed: boolean): Points {
  const all = toGroups(series).map(group => toPoint(group, isTimed));
  const measured = all.filter(point => point !== undefined).sort((a, b) => a.measuredAtMs - b.measuredAtMs);
  const points = measured.filter((point, at) => !isRepeated(point, measured[at - 1]));
  return { points, withoutValue: all.length - measured.length };
}
