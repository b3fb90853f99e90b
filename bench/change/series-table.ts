import { findChangePoints } from '../../src/explain/statistics/change-points.ts';
import { toRandom } from '../../src/explain/statistics/random.ts';
import { defaultSmallestEffects, toSmallest } from '../../src/explain/statistics/smallest-effect.ts';
import { medianOf, toSorted } from '../../src/explain/statistics/values.ts';
import {
  type SimulatedHistory,
  type Stretch,
  simulatedHistories,
  simulateHistory,
} from '../../test/support/builders/simulated-series.ts';
import { type FindBorders, otherChangePoints } from './other-change-points.ts';
import { printTable, toPercent } from './table.ts';

const days = 90;
const effectOf = ({ measure }: SimulatedHistory) =>
  measure === 'performance' ? defaultSmallestEffects.score : defaultSmallestEffects.time;

const byScan =
  (history: SimulatedHistory): FindBorders =>
  values =>
    findChangePoints(
      values.map((value, time) => ({ time, value })),
      { direction: 'lower_is_better', smallestEffect: effectOf(history) },
    ).map(({ index }) => index);

/** Drops borders whose effect is below the minimum, as the method in use does. */
const withMinimum =
  (history: SimulatedHistory, find: FindBorders): FindBorders =>
  values => {
    const borders = find(values);
    return borders.filter((border, at) => {
      const before = medianOf(toSorted(values.slice(borders[at - 1] ?? 0, border)));
      const after = medianOf(toSorted(values.slice(border, borders[at + 1] ?? values.length)));
      return Math.abs(after - before) >= toSmallest(effectOf(history), before);
    });
  };

type ToStretch = (random: () => number) => Stretch | undefined;

const shapes: Readonly<Record<string, ToStretch>> = {
  'no change': () => undefined,
  'one step': (random: () => number): Stretch => ({ from: 10 + Math.floor(random() * 71), to: days }),
  'ten days': (random: () => number): Stretch => {
    const from = 10 + Math.floor(random() * 61);
    return { from, to: from + 10 };
  },
};

type Drawn = { values: number[]; truth: number[] };

function drawSeries(history: SimulatedHistory, runs: number, toStretch: ToStretch, random: () => number): Drawn {
  const stretch = toStretch(random);
  const truth = stretch ? [stretch.from, stretch.to].filter(border => border < days) : [];
  return { values: simulateHistory(history, { runs, random, ...(stretch && { stretch }) }), truth };
}

function toCell(find: FindBorders, drawn: readonly Drawn[]): string {
  const found = drawn.map(({ values, truth }) => ({ truth, borders: find(values) }));
  const isDated = ({ truth, borders }: (typeof found)[number]) =>
    truth.every(border => borders.some(other => Math.abs(other - border) <= 1));
  const isTooMany = ({ truth, borders }: (typeof found)[number]) => borders.length > truth.length;
  return [isDated, isTooMany].map(test => toPercent(found.filter(test).length, found.length)).join(' / ');
}

/** Prints the percentage of series with every change dated within one point, and with too many change points. */
export function printSeries(series: number): void {
  for (const runs of [1, 5])
    for (const [shape, toStretch] of Object.entries(shapes)) {
      const rows = Object.entries(simulatedHistories).map(([name, history]) => {
        const random = toRandom([runs, name.length]);
        const drawn = Array.from({ length: series }, () => drawSeries(history, runs, toStretch, random));
        const others = Object.values(otherChangePoints).map(find => withMinimum(history, find));
        const fewer = drawn.slice(0, Math.ceil(series / 10));
        return [name, toCell(byScan(history), drawn), ...others.map(find => toCell(find, fewer))];
      });
      printTable(
        `${days} days, ${runs} a day, ${shape}: every change dated within one point / too many, percent of ${series} (others: a tenth)`,
        ['', 'scan by ranks', ...Object.keys(otherChangePoints)],
        rows,
      );
    }
}

/** Numbers of points after a step at which the history is looked at. */
const freshPoints = [4, 5, 6, 8, 12] as const;

/**
 * Prints how soon a step is found, dated within one point, when the history is looked at after every point: a value a
 * point, with so many points before the step. And how many unchanged series ever show a change, looked at likewise.
 */
export function printFresh(series: number): void {
  const times = Math.ceil(series / 5);
  const names = Object.entries(simulatedHistories);
  for (const before of [12, 15, 30, 60]) {
    const rows = names.map(([name, history]) => {
      const random = toRandom([before, name.length]);
      const drawn = Array.from({ length: times }, () =>
        simulateHistory(history, {
          days: before + 12,
          runs: 1,
          random,
          stretch: { from: before, to: before + 12 },
        }),
      );
      const isFound = (values: readonly number[], after: number) =>
        byScan(history)(values.slice(0, before + after)).some(border => Math.abs(border - before) <= 1);
      return [
        name,
        ...freshPoints.map(after => toPercent(drawn.filter(values => isFound(values, after)).length, times)),
      ];
    });
    printTable(
      `a step after ${before} points: percent of ${times} found`,
      ['', ...freshPoints.map(after => `after ${after}`)],
      rows,
    );
  }
  const rows = names.map(([name, history], place) => {
    const random = toRandom([0, place]);
    const looks = Array.from({ length: times }, () => {
      const values = simulateHistory(history, { days, runs: 1, random });
      return Array.from({ length: days - 7 }, (_, at) => byScan(history)(values.slice(0, at + 8)).length);
    });
    return [
      name,
      toPercent(looks.filter(counts => counts.some(count => count > 0)).length, times),
      toPercent(looks.filter(counts => (counts.at(-1) ?? 0) > 0).length, times),
    ];
  });
  printTable(
    `percent of ${times} unchanged series of ${days} points with a change`,
    ['', 'at any look, one after each point', 'at the end'],
    rows,
  );
}
