/**
 * `npm run bench:slots -- --runs 30 --file slots.ndjson` tests whether the score of a page depends on other audits.
 * Twenty pages, ten of them real documentation, are each measured alone and in a list that keeps both slots busy; then
 * the time of a list is measured with two slots and with one. A round takes seven minutes on two CPUs; an interrupted
 * study continues.
 * `--service FOLDER` measures the lists with another checkout, to compare two versions with the same solo runs.
 */
import { parseArgs } from 'node:util';
import type { Result } from '../../src/contract/result/result.ts';
import { type Running, startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { type LoadValues, measureAt, toLoadValues, toQuartiles } from './load-values.ts';
import { startRealPages } from './real-pages.ts';
import { type StudyPage, startCalibrationPages, startPlainPages, startStudyPages } from './study-pages.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '30' },
    file: { type: 'string', default: 'slots-study.ndjson' },
    service: { type: 'string' },
    only: { type: 'string', default: 'loads,time' },
  },
});
const runs = Number(values.runs);
const parts = values.only.split(',');

type Line = {
  page: string;
  mode: 'alone' | 'list';
  values: LoadValues;
  /** Whether the result has a warning that the run was disturbed. */
  isMarked: boolean;
  /** Loads that were discarded, because other work disturbed them. */
  repeated: number;
};
type TimeLine = { mode: 'two' | 'one'; round: number; seconds: number };
const lines = openLines<Line | TimeLine>(values.file);
const isLoad = (line: Line | TimeLine): line is Line => 'page' in line;
const loadsOf = (page: string, mode: Line['mode']) =>
  lines.all.filter(isLoad).filter(line => line.page === page && line.mode === mode);

const toLine = (page: string, mode: Line['mode'], result: Result): Line => ({
  page,
  mode,
  values: toLoadValues(result),
  isMarked: result.warnings.some(warning => /disturbed/.test(warning)),
  repeated: result.runs?.repeated ?? 0,
});

/** Measures all four categories, like the list of a user. */
const measure = (service: Running, { url }: StudyPage): Promise<Result> =>
  measureAt(service, url, { categories: 'performance,accessibility,best-practices,seo' });

/** A different order for each round, but the same in each run of the study, so that neighbours vary. */
const toOrder = (pages: readonly StudyPage[], round: number): StudyPage[] =>
  pages
    .map((page, at) => ({ page, key: ((at + 1) * 2_654_435_761 * (round + 1)) % 4_294_967_291 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ page }) => page);

/** Measures a list with two requests always in flight. */
async function measureList(
  service: Running,
  pages: readonly StudyPage[],
  onResult: (page: StudyPage, result: Result) => void = () => {},
): Promise<void> {
  const left = [...pages];
  const goOn = async (): Promise<void> => {
    for (let page = left.shift(); page; page = left.shift()) onResult(page, await measure(service, page));
  };
  await Promise.all([goOn(), goOn()]);
}

async function withService<T>(
  env: Record<string, string>,
  work: (service: Running) => Promise<T>,
  folder?: string,
): Promise<T> {
  const service = await startServiceProcess({ TARGETS: 'any', ...env }, folder === undefined ? {} : { folder });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Each round measures every page alone and then in a list, so that both meet the same hours of the machine. */
async function measureRounds(pages: readonly StudyPage[], alone: Running, lists: Running): Promise<void> {
  for (const service of new Set([alone, lists])) await measureList(service, pages.slice(0, 3));
  for (let run = 0; run < runs; run += 1) {
    const missing = (mode: Line['mode']) => toOrder(pages, run).filter(({ name }) => loadsOf(name, mode).length <= run);
    for (const page of missing('alone')) lines.add(toLine(page.name, 'alone', await measure(alone, page)));
    console.error(`  ${run + 1} of ${runs}, alone`);
    await measureList(lists, missing('list'), (page, result) => lines.add(toLine(page.name, 'list', result)));
    console.error(`  ${run + 1} of ${runs}, in a list`);
  }
}

async function takeTime(pages: readonly StudyPage[], round: number): Promise<void> {
  for (const mode of round % 2 === 0 ? (['two', 'one'] as const) : (['one', 'two'] as const)) {
    if (lines.all.some(line => !isLoad(line) && line.mode === mode && line.round === round)) continue;
    const env: Record<string, string> = mode === 'one' ? { LIGHTHOUSE_CONCURRENCY: '1' } : {};
    const seconds = await withService(
      env,
      async service => {
        await measureList(service, pages.slice(0, 2));
        const begin = performance.now();
        await measureList(service, pages);
        return (performance.now() - begin) / 1000;
      },
      values.service,
    );
    lines.add({ mode, round, seconds });
    console.error(`  time of a list, round ${round + 1}, slots: ${mode}: ${seconds.toFixed(1)} s`);
  }
}

const off = { points: 2, blockingMs: 100 };

/**
 * Judges a load by the page's other solo runs: whether it is off from their medians, and whether it is beyond their
 * range, because the solo runs of some pages have two modes.
 */
function judge(line: Line) {
  const others = loadsOf(line.page, 'alone').filter(other => other !== line);
  const quiet = others.map(other => other.values);
  const scores = quiet.map(other => other.score);
  const score = toQuartiles(quiet, 'score').median;
  const blocking = toQuartiles(quiet, 'TBT').median;
  return {
    isBeyond:
      line.values.score < Math.min(...scores) - off.points || line.values.score > Math.max(...scores) + off.points,
    isOff: Math.abs(line.values.score - score) > off.points,
    isBlockingOff: Math.abs(line.values.TBT - blocking) > off.blockingMs,
    isMarked: line.isMarked,
  };
}

function toRow(name: string, mode: Line['mode'], pages: readonly string[]): string {
  const all = pages.flatMap(page => loadsOf(page, mode)).map(judge);
  const count = (test: (load: (typeof all)[number]) => boolean) => {
    const part = all.filter(test).length;
    return `${part} (${((100 * part) / Math.max(1, all.length)).toFixed(1)} %)`;
  };
  const cells = [
    count(load => load.isOff),
    count(load => load.isOff && !load.isMarked),
    count(load => load.isBeyond),
    count(load => load.isBlockingOff),
    count(load => load.isMarked),
    String(pages.flatMap(page => loadsOf(page, mode)).reduce((sum, line) => sum + line.repeated, 0)),
  ];
  return `| ${name} | ${mode} | ${all.length} | ${cells.join(' | ')} |`;
}

/** Returns whether at most a tenth of the page's solo loads are off: the score of other pages varies by itself. */
function isSteady(page: string): boolean {
  const alone = loadsOf(page, 'alone');
  return alone.filter(line => judge(line).isOff).length <= alone.length / 10;
}

function printTables(pages: readonly StudyPage[]): void {
  const names = pages.map(({ name }) => name);
  const steady = names.filter(isSteady);
  console.log(
    `\nMore than ${off.points} points, or ${off.blockingMs} ms of blocking time, from the median of the page alone:\n`,
  );
  console.log(
    '| page | measured | runs | score off | … and not marked | beyond the solo range | blocking time off | marked | repeats |',
  );
  console.log('|---|---|---|---|---|---|---|---|---|');
  for (const mode of ['alone', 'list'] as const) {
    for (const name of names) console.log(toRow(name, mode, [name]));
    console.log(toRow('**all**', mode, names));
    console.log(toRow(`**${steady.length} steady pages**`, mode, steady));
  }
  const times = lines.all.filter(line => !isLoad(line));
  const ratios = times.flatMap(({ mode, round, seconds }) => {
    const one = times.find(other => other.mode === 'one' && other.round === round);
    return mode === 'two' && one ? [seconds / one.seconds] : [];
  });
  if (ratios.length > 0)
    console.log(`\nA list with two slots over one slot: ${ratios.map(ratio => ratio.toFixed(3)).join(', ')}`);
}

const sites = [await startRealPages(), await startStudyPages(), await startCalibrationPages(), await startPlainPages()];
const pages = sites.flatMap(site => site.pages);
try {
  if (parts.includes('loads'))
    await withService({}, alone =>
      values.service === undefined
        ? measureRounds(pages, alone, alone)
        : withService({}, lists => measureRounds(pages, alone, lists), values.service),
    );
  if (parts.includes('time')) for (let round = 0; round < 3; round += 1) await takeTime(toOrder(pages, round), round);
  printTables(pages);
} finally {
  for (const site of sites) await site.close();
}
