/**
 * `npm run bench:quiet -- --runs 3 --file quiet.ndjson` shows when the last event comes that a result depends on, and
 * how much of a load is the quiet that Lighthouse prescribes: the pages of `bench:slots`, loaded by plain
 * `lighthouse()`, alone. URLs as arguments are measured too; `--installed` leaves out pages whose packages are missing.
 * An interrupted study continues. `--only simulate` lets recorded loads pass through the phases of larger machines.
 */
import { parseArgs } from 'node:util';
import { printTable } from '../change/table.ts';
import { startLibraryProcess } from '../library.ts';
import { percentile } from '../measure.ts';
import { findOwnBrowser } from '../own-browser.ts';
import { openLines } from './lines.ts';
import type { LoadTimeline } from './quiet/load-timeline.ts';
import { kindNames, kindsAfter, lastOf, mostCpuMs, toQuietAt } from './quiet/quiet-moment.ts';
import { simulateList, toParts } from './quiet/simulate.ts';
import { startRealPages } from './real-pages.ts';
import { startCalibrationPages, startPlainPages, startStudyPages } from './study-pages.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '3' },
    file: { type: 'string', default: 'quiet-study.ndjson' },
    installed: { type: 'boolean', default: false },
    only: { type: 'string', default: 'loads,simulate' },
  },
});
const parts = values.only.split(',');

type Line = { page: string; load: LoadTimeline };
const lines = openLines<Line>(values.file);

async function measureLoads(): Promise<void> {
  const sites = [
    await startRealPages({ mayMiss: values.installed }),
    await startStudyPages(),
    await startCalibrationPages(),
    await startPlainPages(),
  ];
  const library = await startLibraryProcess(await findOwnBrowser());
  try {
    const given = positionals.map(url => ({ name: url, url }));
    const pages = [...sites.flatMap(site => site.pages), ...given];
    // The first load of a process takes longer.
    if (pages[0]) await library.timeline(pages[0].url);
    for (let run = 0; run < Number(values.runs); run += 1)
      for (const { name, url } of pages) {
        if (lines.all.filter(({ page }) => page === name).length > run) continue;
        lines.add({ page: name, load: await library.timeline(url) });
        console.error(`  ${run + 1} of ${values.runs}: ${name}`);
      }
  } finally {
    library.stop();
    for (const site of sites) await site.close();
  }
}

const medianOf = (times: readonly (number | undefined)[]): string => {
  const known = times.filter(time => time !== undefined && Number.isFinite(time)) as number[];
  return known.length > 0 ? (percentile(known, 0.5) / 1000).toFixed(2) : '–';
};

function printLastEvents(): void {
  const toRow = (name: string, loads: readonly LoadTimeline[]) => [
    name,
    ...kindNames.map(kind => medianOf(loads.map(load => lastOf(load, kind)))),
    medianOf(loads.map(({ load }) => load)),
    medianOf(loads.map(({ end }) => end)),
  ];
  printTable(
    'the last of each event and the end of the load, in seconds after the start of the navigation (medians)',
    ['page', ...kindNames, 'load event', 'end'],
    [
      ...[...Map.groupBy(lines.all, ({ page }) => page)].map(([page, loads]) =>
        toRow(
          page,
          loads.map(({ load }) => load),
        ),
      ),
      toRow(
        'all',
        lines.all.map(({ load }) => load),
      ),
    ],
  );
}

/** For several times without long tasks and requests: how often something follows, and how much quiet is left. */
function printQuietTimes(): void {
  const loads = lines.all.map(({ load }) => load);
  const rows = [100, 200, 300, 500, 750, 1000].map(forMs => {
    const quiet = loads.flatMap(load => {
      const at = toQuietAt(load, forMs);
      return at === undefined ? [] : [{ load, at, kinds: kindsAfter(load, at) }];
    });
    const count = (test: (kinds: readonly string[]) => boolean) => {
      const part = quiet.filter(({ kinds }) => test(kinds)).length;
      return `${part} (${((100 * part) / Math.max(1, quiet.length)).toFixed(1)} %)`;
    };
    return [
      `${forMs} ms`,
      `${quiet.length} of ${loads.length}`,
      count(kinds => kinds.length > 0),
      ...kindNames.map(kind => count(kinds => kinds.includes(kind))),
      medianOf(quiet.map(({ load, at }) => load.end - at)),
      `${percentile(
        quiet.map(({ load, at }) => mostCpuMs(load, at, load.end - 100, 250)),
        0.5,
      )}, ${Math.max(...quiet.map(({ load, at }) => mostCpuMs(load, at, load.end - 100, 250)))}`,
    ];
  });
  printTable(
    'after so much time without a request in flight or a long task: what still comes, and the quiet that is left',
    ['quiet for', 'loads', 'anything', ...kindNames, 'left, s', 'most CPU ms in 250 ms: median, max'],
    rows,
  );
}

/** Each machine measures every recorded load as many times as it has processors. */
async function printMachines(): Promise<void> {
  const rows: string[][] = [];
  for (const processors of [2, 4, 8, 16]) {
    const audits = Array.from({ length: processors }, () => lines.all.map(({ load }) => toParts(load))).flat();
    const perMinute = async (slots: number, usesQuiet: boolean) =>
      (60 * audits.length) / (await simulateList(audits, { processors, slots, usesQuiet }));
    const one = await perMinute(1, false);
    for (const [slots, usesQuiet] of [
      [2, false],
      [2, true],
      [processors, false],
      [processors, true],
    ] as const) {
      const rate = await perMinute(slots, usesQuiet);
      rows.push([`${processors}`, `${slots}`, usesQuiet ? 'yes' : 'no', rate.toFixed(1), (rate / one).toFixed(2)]);
    }
  }
  printTable(
    'simulated from the recorded phases: audits a minute',
    ['CPUs', 'slots', 'uses the quiet', 'audits a minute', 'over one slot'],
    rows.filter((row, at) => at < 2 || row.join() !== rows[at - 2]?.join()),
  );
}

if (parts.includes('loads')) await measureLoads();
printLastEvents();
printQuietTimes();
if (parts.includes('simulate')) await printMachines();
