/**
 * How soon a history shows a planted change: the unchanged loads of a page, then the five loads of a kind, each a point
 * of one run. bench/studies/change-loads.ts and change-pairs.ts record them, in one folder.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findChangePoints } from '../../src/explain/statistics/change-points.ts';
import { directionOf, smallestEffectOf } from '../../src/explain/statistics/smallest-effect.ts';
import { tableKinds, unchanged } from '../studies/change/kinds.ts';
import type { PairedEntry, RecordedLoad } from '../studies/change/recorded.ts';
import { printTable, toPercent } from './table.ts';

const metrics = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'cumulative_layout_shift',
  'server_response_time',
] as const;
const measures = ['performance', ...metrics] as const;
type Measure = (typeof measures)[number];

const readLines = <T>(path: string): T[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as T);

const toValue = ({ scores, metrics: found }: PairedEntry, name: Measure): number | null =>
  (name === 'performance' ? scores.performance : found[name]) ?? null;

function findChanges(entries: readonly PairedEntry[], name: Measure) {
  const points = entries.map((entry, time) => ({ time, value: toValue(entry, name) }));
  return findChangePoints(points, { direction: directionOf(name), smallestEffect: smallestEffectOf(name) });
}

type Series = { readonly before: readonly PairedEntry[]; readonly after: readonly PairedEntry[] };

const isFound = ({ before, after }: Series, expected: string | undefined, names: readonly Measure[]): boolean =>
  names.some(name =>
    findChanges([...before, ...after], name).some(
      ({ index, status }) => Math.abs(index - before.length) <= 1 && status === expected,
    ),
  );

/** Prints for each kind on how many pages a history of one of the values has the change, dated within one point. */
export function printPlantedHistory(folder: string): void {
  const entries = new Map(
    readLines<{ id: string; entry: PairedEntry }>(join(folder, 'facts.ndjson')).map(({ id, entry }) => [id, entry]),
  );
  const loads = readLines<RecordedLoad>(join(folder, 'loads.ndjson')).filter(
    ({ cpuShare, isBusy }) => cpuShare === null && !isBusy,
  );
  const byPage = Map.groupBy(loads, ({ page }) => page);
  const entriesOf = (page: string, kind: string): PairedEntry[] =>
    (byPage.get(page) ?? []).filter(load => load.kind === kind).flatMap(({ id }) => entries.get(id) ?? []);
  const usual = [...byPage.keys()].map(page => ({ page, before: entriesOf(page, unchanged.name) }));
  const rows = tableKinds.map(({ name, expected }) => {
    const series = usual
      .map(({ page, before }) => ({ before, after: entriesOf(page, name).slice(0, 5) }))
      .filter(({ after }) => after.length === 5);
    const share = (names: readonly Measure[]) =>
      toPercent(series.filter(one => isFound(one, expected, names)).length, series.length);
    return [name, String(series.length), share(measures), share(['performance'])];
  });
  printTable('planted changes in histories: percent found', ['planted', 'pages', 'in any value', 'in the score'], rows);
  const points = usual.reduce((sum, { before }) => sum + before.length, 0);
  const histories = usual.flatMap(({ before }) => measures.map(name => ({ before, name })));
  const isEverFound = ({ before, name }: (typeof histories)[number]) =>
    before.some((_, at) => findChanges(before.slice(0, at + 1), name).length > 0);
  console.log(
    `${histories.filter(isEverFound).length} of ${histories.length} histories of ${points} unchanged points of ${usual.length} pages show a change at any look`,
  );
}
