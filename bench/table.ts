/**
 * Formats the figures of `npm run bench`: for the terminal, and for the generated part of
 * docs/internals/measurement.md.
 */
import type { Spread } from './measure.ts';

export type Row = {
  what: string;
  /** The figure that `wanted` limits: a ratio of the two, or the value of the service. */
  figure: Spread;
  unit: 'ratio' | 'ms' | 'MB' | 'points';
  ours?: string;
  theirs?: string;
  wanted: { most?: number; least?: number };
};

export type Results = {
  /** ISO 8601 */
  measured: string;
  commit: string;
  machine: { cores: number; model: string | undefined; memoryGB: number };
  node: string;
  rows: readonly Row[];
};

const marks = ['<!-- written by npm run bench -- --save -->', '<!-- end of what it wrote -->'] as const;

export const isMet = ({ figure, wanted: { most = Number.POSITIVE_INFINITY, least = 0 } }: Row): boolean =>
  figure.median <= most && figure.median >= least;

const toUnit = (unit: Row['unit']): string => (unit === 'ratio' ? '' : ` ${unit}`);

const sayFigure = ({ figure: { median, min, max }, unit }: Row): string => `${median}${toUnit(unit)} (${min}–${max})`;

const sayWanted = ({ wanted: { most, least }, unit }: Row): string =>
  `${most === undefined ? `at least ${least}` : `at most ${most}`}${toUnit(unit)}`;

export const toLines = (rows: readonly Row[]): string =>
  rows
    .map(
      row => `${row.what}
  ${row.ours === undefined ? '' : `ours ${row.ours}, theirs ${row.theirs}; `}${sayFigure(row)}, ${sayWanted(row)}: ${isMet(row) ? 'met' : 'MISSED'}`,
    )
    .join('\n');

/** A Markdown table, with the marks of the generated part. */
export function toTable({ rows, machine, measured, commit }: Results): string {
  const lines = rows.map(
    row => `| ${row.what} | ${sayFigure(row)} | ${sayWanted(row)} | ${isMet(row) ? 'yes' : '**no**'} |`,
  );
  const counts = [...new Set(rows.map(({ figure }) => figure.values.length))].toSorted((a, b) => a - b);
  return [
    marks[0],
    `Measured ${measured.slice(0, 10)} at ${commit} on ${machine.cores} shared processors (${machine.model}), in turn with what it is`,
    `compared to. Medians of ${counts.join(', ')}, in brackets the extremes.`,
    '',
    '| What | Figure | Wanted | Met |',
    '|---|---|---|---|',
    ...lines,
    marks[1],
  ].join('\n');
}

/** @throws Error if the document has no marks */
export function withTable(document: string, table: string): string {
  const [from, to] = marks.map(mark => document.indexOf(mark));
  if (from === undefined || to === undefined || from < 0 || to < from)
    throw new Error('there are no marks for the table');
  return document.slice(0, from) + table + document.slice(to + marks[1].length);
}
