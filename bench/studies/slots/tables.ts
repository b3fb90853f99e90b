/** Tables of the slots study, from its units. */
import { printTable, toPercent } from '../../change/table.ts';
import { percentile } from '../../measure.ts';
import { toQuartiles } from '../load-values.ts';
import type { ListName, Mode, StudyLoad, Unit } from './unit.ts';

const off = { points: 2, blockingMs: 100 };

/**
 * Judges a load by the page's other solo loads: whether it is off from their medians, and whether it is beyond their
 * range, because the solo loads of some pages have two modes.
 */
function judge(load: StudyLoad, solo: readonly StudyLoad[]) {
  const quiet = solo.filter(other => other !== load && other.page === load.page).map(other => other.values);
  const scores = quiet.map(other => other.score);
  const { score, TBT } = load.values;
  return {
    isOff: Math.abs(score - toQuartiles(quiet, 'score').median) > off.points,
    isBeyond: score < Math.min(...scores) - off.points || score > Math.max(...scores) + off.points,
    isBlockingOff: Math.abs(TBT - toQuartiles(quiet, 'TBT').median) > off.blockingMs,
    isMarked: load.isMarked,
    repeated: load.repeated,
  };
}

type Judged = ReturnType<typeof judge>;

function toCells(loads: readonly Judged[]): string[] {
  const count = (test: (load: Judged) => boolean) => {
    const part = loads.filter(test).length;
    return `${part} (${toPercent(part, loads.length)} %)`;
  };
  return [
    String(loads.length),
    count(load => load.isOff),
    count(load => load.isOff && !load.isMarked),
    count(load => load.isBeyond),
    count(load => load.isBlockingOff),
    count(load => load.isMarked),
    String(loads.reduce((sum, { repeated }) => sum + repeated, 0)),
  ];
}

function printLoads(units: readonly Unit[], list: ListName): void {
  const loadsOf = (mode: Mode) =>
    units.filter(unit => unit.list === list && unit.mode === mode).flatMap(unit => unit.loads);
  const solo = loadsOf('one');
  const names = [...new Set(solo.map(({ page }) => page))];
  const judged = (mode: Mode, pages: readonly string[]) =>
    loadsOf(mode).flatMap(load => (pages.includes(load.page) ? judge(load, solo) : []));
  // The score of the other pages varies by itself.
  const steady = names.filter(page => {
    const loads = judged('one', [page]);
    return loads.filter(({ isOff }) => isOff).length <= loads.length / 10;
  });
  const rows = (['one', 'before', 'after'] as const).flatMap(mode => [
    ...names.map(name => [name, mode, ...toCells(judged(mode, [name]))]),
    ['**all**', mode, ...toCells(judged(mode, names))],
    [`**${steady.length} steady pages**`, mode, ...toCells(judged(mode, steady))],
  ]);
  printTable(
    `${list}: more than ${off.points} points, or ${off.blockingMs} ms of blocking time, from the median of the page alone`,
    [
      'page',
      'slots',
      'loads',
      'score off',
      '… and not marked',
      'beyond the range',
      'blocking off',
      'marked',
      'repeats',
    ],
    rows.filter(([, , loads]) => loads !== '0'),
  );
}

/** The times of lists in two slots over those in one slot, round by round. */
function printTimes(units: readonly Unit[], lists: readonly ListName[]): void {
  const rows = lists.flatMap(list =>
    (['before', 'after'] as const).map(mode => {
      const ratios = units.flatMap(unit => {
        const one = units.find(other => other.list === list && other.mode === 'one' && other.round === unit.round);
        return unit.list === list && unit.mode === mode && one ? [unit.seconds / one.seconds] : [];
      });
      const say = (value: number) => value.toFixed(3);
      const median = percentile(ratios, 0.5);
      return [
        list,
        mode,
        ...(ratios.length === 0
          ? ['–', '–', '–']
          : [say(median), `${say(Math.min(...ratios))}–${say(Math.max(...ratios))}`, say(1 / median)]),
      ];
    }),
  );
  printTable(
    'two slots over one slot',
    ['list', 'rule', 'time, median', 'range', 'audits a second, median'],
    rows.filter(([, , median]) => median !== '–'),
  );
}

export function printTables(units: readonly Unit[]): void {
  const lists = [...new Set(units.map(({ list }) => list))];
  for (const list of lists) printLoads(units, list);
  printTimes(units, lists);
}
