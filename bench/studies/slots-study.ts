/**
 * `npm run bench:slots -- --runs 13 --file slots.ndjson --before FOLDER` tests whether the score of a page depends on
 * other audits, and how long a list takes. Twenty pages, ten of them real documentation, a small page and pages that
 * work after they have loaded are measured in one slot and in two, in turn with those of another checkout. A round takes
 * twelve minutes on two CPUs. An interrupted study continues: only the list that was running is measured again.
 */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/contract/result/result.ts';
import { type Running, startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { measureAt, toLoadValues } from './load-values.ts';
import { startRealPages } from './real-pages.ts';
import { printTables } from './slots/tables.ts';
import { type ListName, listNames, type Mode, type StudyLoad, type Unit } from './slots/unit.ts';
import {
  type StudyPage,
  startCalibrationPages,
  startPlainPages,
  startStudyPages,
  startWakingPages,
} from './study-pages.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '13' },
    file: { type: 'string', default: 'slots-study.ndjson' },
    before: { type: 'string' },
    /** Leaves out pages whose packages are not installed. */
    installed: { type: 'boolean', default: false },
    only: { type: 'string', default: listNames.join(',') },
  },
});

const lines = openLines<Unit>(values.file);
const isWanted = (list: ListName): boolean => values.only.split(',').includes(list);

const toLoad = (page: string, result: Result): StudyLoad => ({
  page,
  values: toLoadValues(result),
  isMarked: result.warnings.some(warning => /disturbed/.test(warning)),
  repeated: result.runs?.repeated ?? 0,
});

/** A different order for each round, but the same in each run of the study, so that neighbours vary. */
const toOrder = (pages: readonly StudyPage[], round: number): StudyPage[] =>
  pages
    .map((page, at) => ({ page, key: ((at + 1) * 2_654_435_761 * (round + 1)) % 4_294_967_291 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ page }) => page);

/** Measures a list with two requests always in flight, and all four categories, like the list of a user. */
async function measureList(service: Running, pages: readonly StudyPage[]): Promise<StudyLoad[]> {
  const left = [...pages];
  const loads: StudyLoad[] = [];
  const goOn = async (): Promise<void> => {
    for (let page = left.shift(); page; page = left.shift()) {
      const result = await measureAt(service, page.url, { categories: 'performance,accessibility,best-practices,seo' });
      loads.push(toLoad(page.name, result));
    }
  };
  await Promise.all([goOn(), goOn()]);
  return loads;
}

const start = (settings: Record<string, string>, folder?: string) =>
  startServiceProcess({ TARGETS: 'any', ...settings }, folder === undefined ? {} : { folder });

const sites = await Promise.all([
  startRealPages({ mayMiss: values.installed }),
  startStudyPages(),
  startCalibrationPages(),
  startPlainPages(),
]);
const pages = sites.flatMap(site => site.pages);
const waking = await startWakingPages();
const small = pages.find(({ name }) => name === 'light') as StudyPage;

/** Each page that wakes is new in each round and measured twice, because the service remembers it. */
const toList: Readonly<Record<ListName, (round: number) => readonly StudyPage[]>> = {
  pages: round => toOrder(pages, round),
  small: () => Array.from({ length: 10 }, () => small),
  waking: round => [1, 2].flatMap(() => waking.pages.map(({ name, url }) => ({ name, url: `${url}?round=${round}` }))),
};

const services: [Mode, Running][] = [
  ['one', await start({ LIGHTHOUSE_CONCURRENCY: '1' })],
  ...(values.before === undefined ? [] : [['before', await start({}, values.before)] satisfies [Mode, Running]]),
  ['after', await start({})],
];

/** All modes meet the same minutes of the machine, in an order that changes from round to round. */
async function measureRound(round: number): Promise<void> {
  const inTurn = services.map((_, at) => services[(at + round) % services.length] as [Mode, Running]);
  for (const list of listNames.filter(isWanted))
    for (const [mode, service] of inTurn) {
      if (lines.all.some(unit => unit.list === list && unit.mode === mode && unit.round === round)) continue;
      const begin = performance.now();
      const loads = await measureList(service, toList[list](round));
      const seconds = (performance.now() - begin) / 1000;
      lines.add({ list, mode, round, seconds, loads });
      console.error(`  ${round + 1} of ${values.runs}, ${list}, ${mode}: ${seconds.toFixed(1)} s`);
    }
}

try {
  for (const [, service] of services) await measureList(service, [small, small, small]);
  for (let round = 0; round < Number(values.runs); round += 1) await measureRound(round);
  printTables(lines.all);
} finally {
  for (const [, service] of services) await service.stop();
  for (const site of [...sites, waking]) await site.close();
}
