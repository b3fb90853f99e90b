/**
 * `npm run bench:same -- --runs 30 --file same.ndjson` audits four pages alternately with the service and with
 * `lighthouse()`, and prints whether the medians of the score and of every metric differ by at most the interquartile
 * range of plain Lighthouse. It takes about half an hour; an interrupted study continues.
 */
import { parseArgs } from 'node:util';
import { startLibraryProcess } from '../library.ts';
import { findOwnBrowser } from '../own-browser.ts';
import { startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { type LoadValues, measureAt, sayQuartiles, toLoadValues, toQuartiles, valueNames } from './load-values.ts';
import { type StudyPage, startStudyPages } from './study-pages.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '30' }, file: { type: 'string', default: 'same-truth.ndjson' } },
});
const runs = Number(values.runs);

type Line = { page: string; who: 'ours' | 'plain'; values: LoadValues };
const lines = openLines<Line>(values.file);
const of = (page: string, who: Line['who']) =>
  lines.all.filter(line => line.page === page && line.who === who).map(line => line.values);

/** Rows with both medians, and whether they differ by at most the interquartile range of plain Lighthouse. */
function toRows({ name }: StudyPage): string[] {
  const [ours, plain] = [of(name, 'ours'), of(name, 'plain')];
  return valueNames.map(value => {
    const [own, other] = [toQuartiles(ours, value), toQuartiles(plain, value)];
    const isWithin = Math.abs(own.median - other.median) <= other.high - other.low;
    return `| ${name} | ${value} | ${sayQuartiles(value, other)} | ${sayQuartiles(value, own)} | ${isWithin ? 'yes' : '**no**'} |`;
  });
}

const site = await startStudyPages();
const service = await startServiceProcess({ TARGETS: 'any' });
const library = await startLibraryProcess(await findOwnBrowser());
try {
  const measure = {
    ours: async ({ url }: StudyPage) => toLoadValues(await measureAt(service, url)),
    plain: ({ url }: StudyPage) => library.audit(url, ['performance']),
  };
  // Warms up both, because cold files would distort the first audit.
  for (const page of site.pages) for (const who of ['ours', 'plain'] as const) await measure[who](page);
  for (let run = 0; run < runs; run += 1)
    for (const page of site.pages) {
      // The order changes with every run, so that drift of the machine affects both equally.
      const order = run % 2 === 0 ? (['ours', 'plain'] as const) : (['plain', 'ours'] as const);
      for (const who of order)
        if (of(page.name, who).length <= run) lines.add({ page: page.name, who, values: await measure[who](page) });
      console.error(`  ${run + 1} of ${runs}: ${page.name}`);
    }
  console.log(`\n${runs} runs of each, in turn: median (quartiles); times in ms\n`);
  console.log('| page | | plain Lighthouse | ours | within its quartile distance |\n|---|---|---|---|---|');
  for (const page of site.pages) console.log(toRows(page).join('\n'));
} finally {
  library.stop();
  await service.stop();
  await site.close();
}
