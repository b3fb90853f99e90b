/** Writes the points of a history for spreadsheets: RFC 4180, without cells that a spreadsheet would execute. */
import type { History, HistoryPoint } from '../../contract/stored/history.ts';

/** Matches cells that a spreadsheet would read as a formula; an apostrophe before them makes them text. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

const toText = (text: string | null): string => {
  if (text === null) return '';
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const columns: readonly (readonly [name: string, toCell: (point: HistoryPoint, history: History) => string])[] = [
  ['fetched_at', point => point.fetched_at],
  ['value', ({ value }) => String(value)],
  ['unit', (_, { unit }) => unit],
  ['label', ({ label }) => toText(label)],
  ['id', ({ id }) => id],
  ['runs', ({ ids }) => String(ids.length)],
  ['lighthouse_version', point => toText(point.lighthouse_version)],
  ['browser_version', point => toText(point.browser_version)],
];

const toMark = ({ disturbed }: HistoryPoint): string => (disturbed === null ? '' : String(disturbed));

/**
 * Writes one line per point. `change` is `better` or `worse` on the first point after a change; `disturbed` shows
 * whether other work affected the point.
 */
export function toHistoryCsv(history: History): string {
  const changes = new Map(history.change_points.map(({ id, status }) => [id, status]));
  const lines = history.points.map(point =>
    [...columns.map(([, toCell]) => toCell(point, history)), changes.get(point.id) ?? '', toMark(point)].join(','),
  );
  return [[...columns.map(([name]) => name), 'change', 'disturbed'].join(','), ...lines, ''].join('\r\n');
}
