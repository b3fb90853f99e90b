import type { SeriesPoint } from '../../storage/results/store.ts';
import { isMeasured, medianOf, tidy, toSorted } from '../change/values.ts';

/** One request of a page: its result, or the median of its runs. */
export type Point = Omit<SeriesPoint, 'kind' | 'groupId' | 'value'> & {
  readonly value: number;
  /** Of all runs with a value, oldest first. */
  readonly ids: readonly string[];
};

export type Points = {
  /** Oldest first. */
  readonly points: readonly Point[];
  /** Results that have no value. */
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

/** The mark of the whole: that of any run. */
const toMark = (group: readonly SeriesPoint[]): boolean | null => {
  const marks = group.map(({ disturbed }) => disturbed);
  return marks.includes(true) || (marks.includes(false) ? false : null);
};

/** The result that is shown stands for its runs; where it is not there (it was forgotten), the first run does. */
function toPoint(group: readonly SeriesPoint[]): Point | undefined {
  const measured = group.filter(({ value }) => isMeasured(value));
  const shown = measured.find(({ kind }) => kind === 'result') ?? measured[0];
  if (!shown) return undefined;
  const { kind, groupId, ...facts } = shown;
  return {
    ...facts,
    value: tidy(medianOf(toSorted(measured.map(({ value }) => value)))),
    ids: measured.map(({ id }) => id),
    disturbed: toMark(measured),
  };
}

/** A remote analyser gives one measurement to requests that come soon after each other: one load is one point. */
const isRepeated = (point: Point, previous: Point | undefined): boolean =>
  point.measuredAtMs === previous?.measuredAtMs && point.value === previous.value;

/** The runs of one request are one point: otherwise a request of five would weigh as five days. */
export function toPoints(series: readonly SeriesPoint[]): Points {
  const all = toGroups(series).map(toPoint);
  const measured = all.filter(point => point !== undefined).sort((a, b) => a.measuredAtMs - b.measuredAtMs);
  const points = measured.filter((point, at) => !isRepeated(point, measured[at - 1]));
  return { points, withoutValue: all.length - measured.length };
}
