/** A table as CSV (RFC 4180), safe to open in a spreadsheet. */

/** A text that begins like this would be run as a formula: what a page wrote must not. */
const isFormula = (text: string): boolean => /^[=+\-@\t\r]/.test(text);

const toField = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return `${value}`;
  const text = isFormula(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** With a byte order mark, without which some spreadsheets take UTF-8 for something else. */
export const toCsv = (rows: readonly (readonly (string | number | null | undefined)[])[]): string =>
  `\ufeff${rows.map(row => `${row.map(toField).join(',')}\r\n`).join('')}`;
