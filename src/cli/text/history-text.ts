/** Formats a history for a terminal: its changes, a sparkline, a table of its segments, and its gaps. */

import { toChangeAddress } from '../../api-client/stored/change.ts';
import type { History, HistoryChange } from '../../contract/stored/history.ts';
import { toCounted } from '../../measure/lhr/runs.ts';
import { statusWords } from '../../presentation/change-words.ts';
import { sayAlso, sayDiffers, sayMachineChange, sayMove, sayNotes } from '../../presentation/charts/history-chart.ts';
import { counted, sayUtc } from '../../presentation/numbers.ts';
import { isDisturbed } from '../../presentation/undisturbed.ts';
import { nameOfMetric, sayHistoryValue, sayNoPoints, sayOutside } from '../../presentation/words.ts';
import type { Screen } from './terminal/screen.ts';
import { toTable } from './terminal/table.ts';
import { indentText, widthOf } from './terminal/width.ts';

const blocks = '▁▂▃▄▅▆▇█';

const toMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Averages neighbouring values if there are more values than columns. */
function squeeze(values: readonly number[], columns: number): number[] {
  if (values.length <= columns) return [...values];
  return Array.from({ length: columns }, (_, at) => {
    const [from, to] = [at, at + 1].map(end => Math.floor((end * values.length) / columns));
    return toMean(values.slice(from, to));
  });
}

/** Returns values as a sparkline. @param top value of the highest block @param low value of the lowest block */
export function toSparkline(values: readonly number[], columns: number, top: number, low = 0): string {
  const toBlock = (value: number): string =>
    blocks.charAt(top === low ? 0 : Math.round(((Math.min(value, top) - low) / (top - low)) * (blocks.length - 1)));
  return squeeze(values, columns).map(toBlock).join('');
}

const maxSparkline = 60;

const marks = { better: ['✓', 'green'], worse: ['✗', 'red'] } as const;

type Explained = {
  /** URL of the service that explains changes, if it is a running one. */
  readonly server?: string | undefined;
  /** Causes of the newest changes, by the id of their first result. */
  readonly causes?: Readonly<Record<string, string>>;
};

/** Returns the URL of the page that explains a change. */
const toChangeUrl = ({ previous_id: before, id: after }: HistoryChange, server: string): string =>
  new URL(toChangeAddress({ before, after }), server).href;

function sayChange(
  { paint, columns }: Screen,
  history: History,
  change: HistoryChange,
  { server, causes = {} }: Explained,
): string[] {
  const [mark, color] = marks[change.status];
  const [differs, others] = [sayDiffers(change), sayAlso(change)];
  return [
    indentText(
      `${paint(color, `${mark} ${statusWords[change.status]}`)} since ${sayUtc(change.fetched_at)}: ${sayMove(change, history)}`,
      columns,
      '',
      '  ',
    ),
    ...(others.length > 0 ? [indentText(`with ${others.join(', ')}`, columns, '  ')] : []),
    ...(differs ? [indentText(differs, columns, '  ')] : []),
    ...(causes[change.id] ? [indentText(causes[change.id] ?? '', columns, '  ')] : []),
    ...(server === undefined ? [] : [`  ${toChangeUrl(change, server)}`]),
    ...(change.notes.length > 0 ? [indentText(`noted: ${sayNotes(change)}`, columns, '  ')] : []),
  ];
}

/** Describes a change that the next results may confirm. */
function sayPossible({ columns }: Screen, history: History): string[] {
  const { possible_change: possible } = history;
  if (!possible) return history.change_points.length === 0 ? ['No lasting change.'] : [];
  const { fetched_at: time, status, value } = possible;
  const text = `Possibly ${status} since ${sayUtc(time)}: ${sayOutside(history, value)}`;
  return [indentText(text, columns, '', '  ')];
}

const toSegments = (screen: Screen, history: History): string =>
  toTable(
    ['from', 'to', 'points', 'median'],
    history.segments.map(({ from, to, points, median }) => [
      ...[sayUtc(from), sayUtc(to), String(points), sayHistoryValue(median, history.unit)],
    ]),
    screen,
  );

export function toHistoryText(screen: Screen, history: History, explained: Explained = {}): string {
  const { paint, columns } = screen;
  const { url, strategy, source, points, median, gaps, is_complete } = history;
  const whose = source === 'psi' ? 'PageSpeed Insights' : 'local Lighthouse';
  const facts = [nameOfMetric(history.metric), strategy, whose, counted(points.length, 'point')];
  const head = [paint('bold', url), indentText(facts.join(' · '), columns, '  '), ''];
  const failures = gaps.map(({ explanation }) => indentText(`Gap: ${explanation}`, columns, '', '  '));
  if (points.length === 0) return [...head, sayNoPoints(history), ...failures, ''].join('\n');
  const values = points.map(({ value }) => value);
  const say = (value: number | null) => sayHistoryValue(value, history.unit);
  // A range of both sides of a change would be that of neither.
  const last = history.change_points.at(-1);
  const ranged = toCounted(points.filter(({ fetched_at: time }) => !last || time >= last.fetched_at)).map(
    ({ value }) => value,
  );
  const range = `${say(Math.min(...ranged))} to ${say(Math.max(...ranged))}, median ${say(last ? (history.segments.at(-1)?.median ?? median) : median)}${last ? ' since the last change' : ''}`;
  // From the ten below the lowest score, as in the table of sites: from zero, a loss of ten points is invisible.
  const [low, top] =
    history.unit === 'point' ? [10 * Math.floor(Math.min(90, ...values) / 10), 100] : [0, Math.max(...values)];
  const disturbed = points.filter(isDisturbed).length;
  const line = `  ${toSparkline(values, Math.min(maxSparkline, columns - 4), top, low)}`;
  return [
    ...head,
    ...history.change_points.flatMap(change => sayChange(screen, history, change, explained)),
    ...sayPossible(screen, history),
    '',
    ...(widthOf(line) + 2 + widthOf(range) <= columns ? [`${line}  ${range}`] : [line, `  ${range}`]),
    '',
    ...(disturbed > 0
      ? [
          `${disturbed} of ${counted(points.length, 'point')}: the load was disturbed${disturbed < points.length ? ', and the range leaves it out' : ''}.`,
          '',
        ]
      : []),
    toSegments(screen, history),
    ...history.machine_changes.map(change =>
      indentText(`${sayUtc(change.fetched_at)}: ${sayMachineChange(change, history)}`, columns, '', '  '),
    ),
    ...failures,
    ...(is_complete ? [] : ['There are more results: these are the newest 10,000.']),
    '',
  ].join('\n');
}
