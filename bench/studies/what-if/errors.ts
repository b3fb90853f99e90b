/** Compares predicted with measured points: figures for each kind of change, and the files that publish them. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { PredictedError } from '../../../src/contract/stored/what-if.ts';
import type { PredictedKind } from '../../../src/explain/what-if/measured-errors.ts';
import { percentile } from '../../measure.ts';

/** One change of one page, with the scores of single loads. */
export type PredictedLine = {
  readonly page: string;
  readonly kind: PredictedKind;
  readonly change: string;
  /** Null if the load before the change predicts nothing; then nothing was measured after it. */
  readonly predicted: number | null;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly machineLoad: number;
};

type Pair = { readonly page: string; readonly predicted: number; readonly measured: number };
type Figures = {
  readonly error: PredictedError;
  readonly spearman: number;
  readonly large: number;
  readonly wrong: number;
};

const kindNames: Readonly<Record<PredictedKind, string>> = {
  third_party: 'without a third party',
  script: 'without a script',
  condition: 'another CPU',
  fix: 'one fix',
};

const medianOf = (values: readonly number[]): number => percentile(values, 0.5);
const toTenth = (value: number): number => Number(value.toFixed(1));

/** Ranks from 0; equal values share their mean rank. */
const toRanks = (values: readonly number[]): number[] =>
  values.map(value => {
    const below = values.filter(other => other < value).length;
    return below + (values.filter(other => other === value).length - 1) / 2;
  });

/** Spearman's rank correlation: Pearson's correlation of the ranks. NaN if either side is constant. */
function toSpearman(pairs: readonly Pair[]): number {
  const [one, other] = [toRanks(pairs.map(pair => pair.predicted)), toRanks(pairs.map(pair => pair.measured))];
  const mean = (pairs.length - 1) / 2;
  const sum = (left: readonly number[], right: readonly number[]) =>
    left.reduce((total, rank, at) => total + (rank - mean) * ((right[at] ?? mean) - mean), 0);
  return sum(one, other) / Math.sqrt(sum(one, one) * sum(other, other));
}

const fewPairs = 20;
const busyLoad = 2;
const largeEffect = 5;

function toFigures(lines: readonly PredictedLine[]): Figures | undefined {
  const pairs = lines.flatMap(({ page, predicted, before, after }): Pair[] =>
    predicted === null ? [] : [{ page, predicted, measured: medianOf(after) - medianOf(before) }],
  );
  if (pairs.length === 0) return undefined;
  const errors = pairs.map(({ predicted, measured }) => Math.abs(predicted - measured));
  const large = pairs.filter(({ measured }) => Math.abs(measured) > largeEffect);
  const [median = 0, p90 = 0, p95 = 0] = [0.5, 0.9, 0.95].map(share => toTenth(percentile(errors, share)));
  return {
    error: {
      pairs: pairs.length,
      pages: new Set(pairs.map(({ page }) => page)).size,
      points: { median, p90, p95 },
      is_preliminary: pairs.length < fewPairs || medianOf(lines.map(line => line.machineLoad)) > busyLoad,
    },
    spearman: toSpearman(pairs),
    large: large.length,
    wrong: large.filter(({ predicted, measured }) => predicted * measured < 0).length,
  };
}

export const figuresOf = (lines: readonly PredictedLine[]): [PredictedKind, Figures | undefined][] =>
  (Object.keys(kindNames) as PredictedKind[]).map(kind => [kind, toFigures(lines.filter(line => line.kind === kind))]);

const toRow = ([kind, figures]: [PredictedKind, Figures | undefined]): string => {
  if (!figures) return `| ${kindNames[kind]} | 0 | | | | | | |`;
  const { error, spearman, large, wrong } = figures;
  const { median, p90, p95 } = error.points;
  const rank = Number.isFinite(spearman) ? spearman.toFixed(2) : '–';
  return `| ${kindNames[kind]} | ${error.pairs} | ${error.pages} | ${rank} | ${median} | ${p90} | ${p95} | ${wrong} of ${large} |`;
};

/** A table in points. The error is the absolute difference between the prediction and the difference of the medians. */
export const toTable = (lines: readonly PredictedLine[]): string =>
  [
    '| Kind | Changes | Pages | Spearman | Median | p90 | p95 | Wrong sign, effects above 5 points |',
    '|---|---|---|---|---|---|---|---|',
    ...figuresOf(lines).map(toRow),
  ].join('\n');

const constants = new URL('../../../src/explain/what-if/measured-errors.ts', import.meta.url);
const evidence = new URL('../../../docs/internals/what-if.md', import.meta.url);

const toLiteral = (figures: Figures | undefined): string => {
  if (!figures) return 'null';
  const { pairs, pages, points, is_preliminary } = figures.error;
  const { median, p90, p95 } = points;
  return `{ pairs: ${pairs}, pages: ${pages}, points: { median: ${median}, p90: ${p90}, p95: ${p95} }, is_preliminary: ${is_preliminary} }`;
};

/** Replaces the constants that answers contain, and the table of the evidence. */
export function publish(lines: readonly PredictedLine[]): void {
  const rows = figuresOf(lines).map(([kind, figures]) => `  ${kind}: ${toLiteral(figures)},`);
  const source = readFileSync(constants, 'utf8');
  writeFileSync(
    constants,
    source.replace(/(= \{\n)[\s\S]*(\n\};\n)$/, (_, head, end) => head + rows.join('\n') + end),
  );
  const document = readFileSync(evidence, 'utf8');
  const paragraph = /(?<=## Measured errors\n\n)[\s\S]*?(?=\n\n)/;
  writeFileSync(
    evidence,
    document.replace(paragraph, () => toTable(lines)),
  );
}
