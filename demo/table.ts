/** A plain table for a terminal; the last cell of a short row may run on. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const runsOn = (row: readonly string[], column: number) => row.length < head.length && column === row.length - 1;
  const widthOf = (row: readonly string[], column: number) => (runsOn(row, column) ? 0 : (row[column]?.length ?? 0));
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map(row => widthOf(row, column))));
  const toLine = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [toLine(head), `  ${widths.map(width => '─'.repeat(width)).join('  ')}`, ...rows.map(toLine), ''].join('\n');
}
