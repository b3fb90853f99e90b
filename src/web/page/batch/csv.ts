/** A table as CSV (RFC 4180), safe to open in a spreadsheet. */

/** A spreadsheet runs a text that begins like this as a formula; what a page wrote must not run. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

const toField = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return `${value}`;
  const text = isFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** With a byte order mark: without it some spreadsheets do not read UTF-8. */
export const toCsv = (rows: readonly (readonly (string | number | null | undefined)[])[]): string =>
  `\ufeff${rows.map(row => `${row.map(toField).join(',')}\r\n`).join('')}`;
