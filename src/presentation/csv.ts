/** Writes tables for spreadsheets: RFC 4180, without cells that a spreadsheet would execute. */

export type CsvCell = string | number | boolean | null | undefined;

/** Matches cells that a spreadsheet would read as a formula; an apostrophe before them makes them text. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/;

function toCell(value: CsvCell): string {
  // Sums in binary would end in digits such as 1009.4000000000001.
  if (typeof value === 'number') return String(Number(value.toPrecision(12)));
  if (typeof value !== 'string') return String(value ?? '');
  const safe = formula.test(value) ? `'${value}` : value;
  return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Writes a line for each row. A missing value is an empty cell. */
export const toCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map(row => `${row.map(toCell).join(',')}\r\n`).join('');
