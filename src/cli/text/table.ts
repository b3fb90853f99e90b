import stringWidth from 'string-width';

type Row = readonly string[];

const pad = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));

/** A plain table for a terminal, as wide as its letters are there; the last cell of a short row may be longer. */
export function toTable(head: Row, rows: readonly Row[]): string {
  const runsOn = (row: Row, column: number) => row.length < head.length && column === row.length - 1;
  const widthOf = (row: Row, column: number) => (runsOn(row, column) ? 0 : stringWidth(row[column] ?? ''));
  const widths = head.map((title, column) => Math.max(stringWidth(title), ...rows.map(row => widthOf(row, column))));
  const toLine = (row: Row) => `  ${row.map((cell, column) => pad(cell, widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [
    toLine(head),
    `  ${widths.map(width => '─'.repeat(width)).join('  ')}`.trimEnd(),
    ...rows.map(toLine),
    '',
  ].join('\n');
}
