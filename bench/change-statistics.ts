/**
 * `npm run bench:change -- --pairs 10000 --series 500` prints the figures behind
 * docs/internals/decisions/019-change-statistics.md: error rate and power of each method, on simulated Lighthouse runs
 * and on recorded ones. Random numbers have fixed seeds.
 */
import { parseArgs } from 'node:util';
import { printIntervals } from './change/interval-table.ts';
import { printNeeded, printReal } from './change/real-table.ts';
import { printLooks, printSeries } from './change/series-table.ts';
import { printEarlier, printFalseAlarms, printMoreRuns, printPlanted } from './change/verdict-table.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10000' },
    series: { type: 'string', default: '500' },
    only: { type: 'string' },
  },
});
const [pairs, series] = [Number(values.pairs), Number(values.series)];
const tables: Readonly<Record<string, () => void>> = {
  intervals: () => printIntervals(Math.ceil(pairs / 10)),
  alarms: () => printFalseAlarms(pairs),
  planted: () => printPlanted(Math.ceil(pairs / 20)),
  'more-runs': () => printMoreRuns(Math.ceil(pairs / 50)),
  earlier: () => printEarlier(Math.ceil(pairs / 20)),
  real: () => printReal(pairs),
  needed: () => printNeeded(Math.ceil(pairs / 100)),
  series: () => printSeries(series),
  looks: () => printLooks(series),
};
for (const [name, print] of Object.entries(tables)) if (values.only === undefined || values.only === name) print();
