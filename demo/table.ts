/** A plain table for a terminal; the last cell of a row may run on. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map(row => (row.length === head.length ? (row[column]?.length ?? 0) : 0))),
  );
  const toLine = (row: readonly string[]) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return [toLine(head), `  ${widths.map(width => '─'.repeat(width)).join('  ')}`, ...rows.map(toLine), ''].join('\n');
}
