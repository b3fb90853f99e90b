import { findBorders, findChangePoints } from '../../src/explain/statistics/change-points.ts';
import { type Random, toRandom } from '../../src/explain/statistics/random.ts';
import {
  defaultSmallestEffects,
  type SmallestEffect,
  smallestEffectOf,
  toSmallest,
} from '../../src/explain/statistics/smallest-effect.ts';
import { medianOf, toSorted } from '../../src/presentation/values.ts';
import {
  type SimulatedHistory,
  type Stretch,
  simulatedHistories,
  simulateHistory,
} from '../../test/support/builders/simulated-series.ts';
import { type FindBorders, otherChangePoints } from './other-change-points.ts';
import { realLoads } from './real-table.ts';
import { printTable, toPercent } from './table.ts';

const days = 90;
const effectOf = ({ measure }: SimulatedHistory) =>
  measure === 'performance' ? defaultSmallestEffects.score : defaultSmallestEffects.time;

const inUse =
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
        return [name, toCell(inUse(history), drawn), ...others.map(find => toCell(find, fewer))];
      });
      printTable(
        `${days} days, ${runs} a day, ${shape}: every change dated within one point / too many, percent of ${series} (others: a tenth)`,
        ['', 'in use', ...Object.keys(otherChangePoints)],
        rows,
      );
    }
}

/** Numbers of points before and after a step. */
const looks = [
  [3, 3],
  [4, 2],
  [4, 3],
  [6, 2],
  [6, 3],
  [12, 2],
  [12, 3],
  [30, 3],
] as const;
const toSpread = (values: readonly number[]): number => {
  const median = medianOf(toSorted(values));
  return 1.4826 * medianOf(toSorted(values.map(value => Math.abs(value - median))));
};

type Page = { readonly effect: SmallestEffect; readonly draw: (points: number, random: Random) => number[] };

/** Simulated pages, and pieces of one to six consecutive real loads. */
function toPages(): Map<string, Page> {
  const simulated = Object.entries(simulatedHistories).map(([name, history]): [string, Page] => [
    name.replace(/ [−+].*/, ''),
    {
      effect: effectOf(history),
      draw: (points, random) => simulateHistory(history, { days: points, runs: 1, random }),
    },
  ]);
  const real = Object.entries(realLoads).flatMap(([page, loads]) =>
    (['performance', 'largest_contentful_paint', 'total_blocking_time'] as const).map((name): [string, Page] => {
      const values = loads.map(({ scores, metrics }) => (name === 'performance' ? scores[name] : metrics[name]));
      const draw = (points: number, random: Random) => {
        const drawn: number[] = [];
        while (drawn.length < points) {
          const length = 1 + Math.floor(6 * random());
          const from = Math.floor(random() * (values.length - length));
          drawn.push(...values.slice(from, from + length));
        }
        return drawn.slice(0, points);
      };
      return [`real: ${page}, ${name.replaceAll('_', ' ')}`, { effect: smallestEffectOf(name), draw }];
    }),
  );
  return new Map([...simulated, ...real]);
}

/** Returns the number of different borders that an unchanged series shows at any of its looks. */
function countFalse(values: readonly number[], effect: SmallestEffect): number {
  let [count, previous]: [number, readonly number[]] = [0, []];
  findBorders(values, effect, (_, borders) => {
    count += borders.filter(border => !previous.some(other => Math.abs(other - border) <= 2)).length;
    previous = [...borders];
  });
  return count;
}

/**
 * Prints how soon a step is found, dated within one point, if the history is looked at after every point; in how many
 * looks after that it is still there; and how many false changes unchanged series show at any look.
 */
export function printLooks(series: number): void {
  const times = Math.ceil(series / 5);
  const points = 90;
  let falseOnes = 0;
  const pages = toPages();
  const rows = [...pages].map(([name, { effect, draw }], place) => {
    const random = toRandom([place, 1]);
    const unchanged = Array.from({ length: times }, () => countFalse(draw(points, random), effect));
    falseOnes += unchanged.reduce((sum, count) => sum + count, 0);
    const spread = toSpread(draw(200, random));
    const isScore = effect === defaultSmallestEffects.score;
    const step = isScore ? -Math.max(10, 5 * spread) : Math.max(100, 5 * spread);
    const drawStep = (before: number, after: number) =>
      draw(before + after, random).map((value, at) => value + (at < before ? 0 : step));
    const isNear = (borders: readonly number[], before: number) => borders.some(at => Math.abs(at - before) <= 1);
    const found = looks.map(([before, after]) => {
      const drawn = Array.from({ length: times }, () => findBorders(drawStep(before, after), effect));
      return toPercent(drawn.filter(borders => isNear(borders, before)).length, times);
    });
    let [kept, later] = [0, 0];
    for (let round = 0; round < times; round += 1) {
      const before = 5 + Math.floor(25 * random());
      let wasFound = false;
      findBorders(drawStep(before, 40), effect, (_, borders) => {
        wasFound ||= isNear(borders, before);
        if (wasFound) later += 1;
        if (isNear(borders, before)) kept += 1;
      });
    }
    const both = Array.from({ length: times }, () => {
      const [one, two, rest] = Array.from({ length: 3 }, () => 4 + Math.floor(10 * random())) as [
        number,
        number,
        number,
      ];
      const last = random() < 0.5 ? 0 : 2 * step;
      const levels = draw(one + two + rest, random).map((value, at) => {
        if (at < one) return value;
        return value + (at < one + two ? step : last);
      });
      const borders = findBorders(levels, effect);
      return isNear(borders, one) && isNear(borders, one + two);
    });
    const per = (1000 * unchanged.reduce((sum, count) => sum + count, 0)) / (points * times);
    return [
      name,
      spread.toFixed(1),
      step.toFixed(0),
      per.toFixed(2),
      ...found,
      later > 0 ? toPercent(kept, later) : '',
      toPercent(both.filter(Boolean).length, times),
    ];
  });
  printTable(
    `percent of ${times} series with the step, by the numbers of points before and after it`,
    [
      '',
      'usual spread',
      'step',
      'false in 1,000 points',
      ...looks.map(([before, after]) => `${before} + ${after}`),
      'kept',
      'both of two',
    ],
    rows,
  );
  const all = (1000 * falseOnes) / (points * times * pages.size);
  console.log(`false changes in 1,000 points of unchanged series, looked at after each point: ${all.toFixed(2)}`);
}
