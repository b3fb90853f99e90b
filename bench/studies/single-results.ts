/**
 * `npm run bench:single-results -- --pages 6` counts what a comparison of two single results says if the page has a
 * history: each page is measured ten times, then once with each planted change, and six times unchanged (`--unchanged
 * 50`; `--unchanged-only` plants nothing). Each later result is compared with one of the ten, and removed.
 */
import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import { printTable } from '../change/table.ts';
import { startServiceProcess } from '../processes.ts';
import { type Kind, tableKinds, unchanged } from './change/kinds.ts';
import { changePages, startChangePages } from './change/pages.ts';
import { measureAt } from './load-values.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '6' },
    /** Number of results before the comparisons. */
    history: { type: 'string', default: '10' },
    unchanged: { type: 'string', default: '6' },
    'unchanged-only': { type: 'boolean', default: false },
    /** File to which each comparison is added as a line. */
    file: { type: 'string' },
  },
});

const pages = changePages.filter(({ isReal }) => !isReal).slice(0, Number(values.pages));
const site = await startChangePages();
const service = await startServiceProcess({ TARGETS: 'any', KEEP_ARTIFACTS: '8000' });

type Said = { page: string; kind: string; expected: string | undefined; status: string; explanation: string };
const all: Said[] = [];

async function compareOnce(page: (typeof pages)[number], kind: Kind, before: string): Promise<void> {
  site.plant(kind);
  const { id = '' } = await measureAt(service, page.url);
  const response = await fetch(`${service.url}/compare-results?before=${before}&after=${id}`);
  const { verdict } = (await response.json()) as ResultsComparison;
  const { status, explanation } = verdict;
  const said = { page: page.name, kind: kind.name, expected: kind.expected, status, explanation };
  all.push(said);
  if (values.file) appendFileSync(values.file, `${JSON.stringify(said)}\n`);
  await fetch(`${service.url}/results/${id}`, { method: 'DELETE' });
}

try {
  for (const page of pages) {
    site.plant(unchanged);
    const ids: string[] = [];
    for (let run = 0; run < Number(values.history); run += 1) ids.push((await measureAt(service, page.url)).id ?? '');
    for (const kind of values['unchanged-only'] ? [] : tableKinds) await compareOnce(page, kind, ids.at(-1) ?? '');
    for (let round = 0; round < Number(values.unchanged); round += 1)
      await compareOnce(page, unchanged, ids.at(-1 - (round % ids.length)) ?? '');
  }
} finally {
  await service.stop();
  await site.close();
}

const count = (said: readonly Said[], status: string) => String(said.filter(one => one.status === status).length);
printTable(
  'one result against one, by planted change',
  ['planted', 'expected', 'pairs', 'worse', 'better', 'no_difference', 'undecided'],
  [...Map.groupBy(all, ({ kind }) => kind)].map(([kind, said]) => [
    kind,
    said[0]?.expected ?? 'no_difference',
    String(said.length),
    ...['worse', 'better', 'no_difference', 'undecided'].map(status => count(said, status)),
  ]),
);
