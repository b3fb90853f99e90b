/** Formats tables for the width of the terminal: cells are shortened, or a row becomes several lines. */
import type { Paint } from './paint.ts';
import type { Screen } from './screen.ts';
import { cutTo, shortenUrl, widthOf } from './width.ts';

/** A text is drawn unchanged; a fitted cell can be shortened. */
export type Cell = string | FittedCell;

type FittedCell = {
  readonly text: string;
  /** A URL is shortened in its middle, a text at its end; a number is never shortened, and is right-aligned. */
  readonly kind: 'url' | 'text' | 'number';
  readonly note?: string;
  readonly format?: Parameters<Paint>[0];
  readonly href?: string;
  readonly indent?: number;
  /** Min width; if it does not fit, the card layout is used. */
  readonly least?: number;
};

type TableRow = readonly Cell[];
type Drawing = Pick<Screen, 'columns' | 'paint' | 'link'>;

const margin = 2;
const gap = 2;
const usualLeast = { url: 24, text: 12 } as const;
const minNote = 8;
const sayNote = (note: string | undefined): string => (note ? ` · ${note}` : '');

const naturalOf = (cell: Cell): number =>
  typeof cell === 'string' ? widthOf(cell) : (cell.indent ?? 0) + widthOf(cell.text) + widthOf(sayNote(cell.note));

const leastOf = (cell: Cell): number => {
  const natural = naturalOf(cell);
  if (typeof cell === 'string' || cell.kind === 'number') return natural;
  return Math.min(natural, cell.least ?? usualLeast[cell.kind]);
};

/** Fits the text and its note into a width. The note is removed first. */
function fit({ text, kind, note }: FittedCell, columns: number): [text: string, note: string] {
  const shorten = kind === 'url' ? shortenUrl : cutTo;
  const said = sayNote(note);
  if (widthOf(text) + widthOf(said) <= columns) return [text, said];
  const free = columns - Math.min(widthOf(text), usualLeast.url);
  const forNote = free < minNote ? 0 : Math.min(widthOf(said), free);
  return [shorten(text, columns - forNote), cutTo(said, forNote)];
}

/** @param columns width available to the cell; if `isPadded`, the cell is padded to it */
function drawCell({ paint, link }: Drawing, cell: Cell, columns: number, isPadded: boolean): string {
  if (typeof cell === 'string') return isPadded ? cell + ' '.repeat(Math.max(0, columns - widthOf(cell))) : cell;
  const before = ' '.repeat(Math.min(cell.indent ?? 0, Math.floor(columns / 2)));
  const [text, note] = fit(cell, columns - before.length);
  const painted = cell.format ? paint(cell.format, text) : text;
  const drawn = before + link(painted, cell.href) + (note === '' ? '' : paint('dim', note));
  const room = isPadded ? ' '.repeat(Math.max(0, columns - before.length - widthOf(text) - widthOf(note))) : '';
  return cell.kind === 'number' ? room + drawn : drawn + room;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);

/** Returns whether a cell is the last one of a short row, which may overflow its column. */
const runsOn = (head: readonly string[], row: TableRow, at: number): boolean =>
  row.length < head.length && at === row.length - 1;

function widest(head: readonly string[], rows: readonly TableRow[], widthOfCell: (cell: Cell) => number): number[] {
  return head.map((title, at) =>
    rows.reduce((most, row) => {
      const cell = row[at];
      return cell === undefined || runsOn(head, row, at) ? most : Math.max(most, widthOfCell(cell));
    }, widthOf(title)),
  );
}

/** Returns the width of each column; undefined if a row does not fit even when shortened. */
function shareWidths(head: readonly string[], rows: readonly TableRow[], columns: number): number[] | undefined {
  const room = columns - margin - gap * (head.length - 1);
  const natural = widest(head, rows, naturalOf);
  if (sum(natural) <= room) return natural;
  const widths = widest(head, rows, leastOf);
  if (sum(widths) > room) return undefined;
  for (let rest = room - sum(widths); rest > 0; rest -= 1) {
    const wanting = widths.map((width, at) => (width < (natural[at] ?? 0) ? width : Number.POSITIVE_INFINITY));
    const narrowest = wanting.indexOf(Math.min(...wanting));
    widths[narrowest] = (widths[narrowest] ?? 0) + 1;
  }
  return widths;
}

const indent = ' '.repeat(margin);

function drawRow(drawing: Drawing, head: readonly string[], row: TableRow, widths: readonly number[]): string {
  const cells = row.map((cell, at) => {
    const isOpen = runsOn(head, row, at);
    const before = sum(widths.slice(0, at)) + gap * at + margin;
    // Coloured text cannot be cut.
    if (isOpen && typeof cell === 'string' && !cell.includes('\u001b')) return cutTo(cell, drawing.columns - before);
    return drawCell(
      drawing,
      cell,
      isOpen ? drawing.columns - before : (widths[at] ?? 0),
      !isOpen && at < row.length - 1,
    );
  });
  // A number is right-aligned in the last column too.
  const last = row.at(-1);
  const isNumber = typeof last === 'object' && last.kind === 'number' && row.length === head.length;
  if (isNumber) cells[cells.length - 1] = drawCell(drawing, last, widths[row.length - 1] ?? 0, true);
  return `${indent}${cells.join(' '.repeat(gap))}`.trimEnd();
}

const isEmpty = (cell: Cell): boolean => (typeof cell === 'string' ? cell : cell.text).trim() === '';

/** Formats a row as lines: its first cell, and below it the others with their titles, as many per line as fit. */
function drawCard(drawing: Drawing, head: readonly string[], row: TableRow): string[] {
  const [first = '', ...others] = row;
  const room = drawing.columns - 2 * margin;
  const pieces = others.flatMap((cell, index) => {
    if (isEmpty(cell)) return [];
    const forTitle = Math.max(Math.floor(room / 2), room - 1 - naturalOf(cell));
    const title = runsOn(head, row, index + 1) ? '' : cutTo((head[index + 1] ?? '').trim(), forTitle);
    const before = title === '' ? '' : `${drawing.paint('dim', title)} `;
    const drawn = drawCell(drawing, cell, room - widthOf(before), false);
    return `${before}${title === '' ? drawn : drawn.trimStart()}`;
  });
  const lines: string[] = isEmpty(first)
    ? []
    : [`${indent}${drawCell(drawing, first, drawing.columns - margin, false)}`];
  let line = '';
  for (const piece of pieces) {
    const longer = line === '' ? piece : `${line}   ${piece}`;
    if (line !== '' && widthOf(longer) > room) {
      lines.push(indent + indent + line);
      line = piece;
    } else line = longer;
  }
  return line === '' ? lines : [...lines, indent + indent + line];
}

const wide: Drawing = { columns: Number.POSITIVE_INFINITY, paint: (_, text) => text, link: text => text };

export type TableLines = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Returns the lines of the heading, and those of each row. */
export function toTableLines(head: readonly string[], rows: readonly TableRow[], drawing: Drawing = wide): TableLines {
  const widths = shareWidths(head, rows, drawing.columns);
  if (!widths) return { head: [], rows: rows.map(row => drawCard(drawing, head, row)) };
  const titles = head.map((title, at) => {
    const isNumber = rows.some(row => typeof row[at] === 'object' && row[at].kind === 'number');
    return isNumber ? ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(title))) + title : title;
  });
  const hasTitles = head.some(title => title.trim() !== '');
  const line = `${indent}${widths.map(width => '─'.repeat(width)).join(' '.repeat(gap))}`.trimEnd();
  return {
    head: hasTitles ? [drawRow(drawing, head, titles, widths), line] : [],
    rows: rows.map(row => [drawRow(drawing, head, row, widths)]),
  };
}

export function toTable(head: readonly string[], rows: readonly TableRow[], drawing: Drawing = wide): string {
  const lines = toTableLines(head, rows, drawing);
  return [...lines.head, ...lines.rows.flat(), ''].join('\n');
}
