/**
 * `npm run bench:predictions -- --pages 1-2 --kind script --seconds 600` predicts a change from one load before it, makes
 * the change, and measures five loads before and five after, alternately. Every change of a page is a line in
 * `predicted.ndjson`; the next call continues. `--publish` measures nothing: it writes the figures of that file into
 * the constants that answers contain, and into docs/internals/what-if.md.
 */
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { WhatIf } from '../../src/contract/stored/what-if.ts';
import { startServiceProcess } from '../processes.ts';
import { type ChangePage, predictedPages, startChangePages } from './change/pages.ts';
import { openLines } from './lines.ts';
import { measureAt } from './load-values.ts';
import { type PredictedChange, predictedChanges } from './what-if/changes.ts';
import { type PredictedLine, publish, toTable } from './what-if/errors.ts';

const { values } = parseArgs({
  options: {
    /** Numbers of the first and the last page. */
    pages: { type: 'string', default: '1-30' },
    kind: { type: 'string' },
    /** Part of the name of the changes. */
    change: { type: 'string', default: '' },
    runs: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '600' },
    folder: { type: 'string', default: '/tmp/what-if' },
    publish: { type: 'boolean', default: false },
  },
});

const endMs = Date.now() + 1000 * Number(values.seconds);
mkdirSync(values.folder, { recursive: true });
const lines = openLines<PredictedLine>(join(values.folder, 'predicted.ndjson'));

const [firstPage = 1, lastPage = firstPage] = values.pages.split('-').map(Number);

/** All changes of all pages, ordered so that any beginning has as many of each page as of each change. */
const wanted = predictedChanges
  .flatMap((_, offset) =>
    predictedPages.slice(firstPage - 1, lastPage).map((page, at) => ({
      page,
      change: predictedChanges[(at + offset) % predictedChanges.length] as PredictedChange,
    })),
  )
  .filter(({ change }) => (values.kind ?? change.kind) === change.kind && change.name.includes(values.change))
  .filter(({ page, change }) => !lines.all.some(line => line.page === page.name && line.change === change.name));

type Site = Awaited<ReturnType<typeof startChangePages>>;
type Service = { readonly url: string };

async function measureChange(
  { page, change }: { page: ChangePage; change: PredictedChange },
  { site, service }: { site: Site; service: Service },
): Promise<PredictedLine> {
  const load = ({ plant, query = {} }: PredictedChange['before']) => {
    site.plant(plant);
    return measureAt(service, page.url, { label: 'what-if', ...query });
  };
  const scoreOf = ({ scores }: Awaited<ReturnType<typeof measureAt>>) => scores.performance ?? Number.NaN;
  const [machineLoad = 0] = loadavg();
  const first = await load(change.before);
  const response = await fetch(`${service.url}/results/${first.id}/what-if`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const predicted = change.predict((await response.json()) as WhatIf);
  const [before, after]: [number[], number[]] = [[scoreOf(first)], []];
  while (predicted !== null && after.length < Number(values.runs)) {
    after.push(scoreOf(await load(change.after)));
    if (before.length < Number(values.runs)) before.push(scoreOf(await load(change.before)));
  }
  return { page: page.name, kind: change.kind, change: change.name, predicted, before, after, machineLoad };
}

async function measureAll(): Promise<void> {
  console.error(`${wanted.length} changes are missing`);
  const site = await startChangePages();
  const service = await startServiceProcess({
    DATA_DIR: join(values.folder, 'data'),
    TARGETS: 'any',
    LIGHTHOUSE_TIMEOUT: '120',
  });
  try {
    for (const { page, change } of wanted) {
      if (Date.now() > endMs) break;
      const line = await measureChange({ page, change }, { site, service }).catch(error => {
        console.error(`${page.name}, ${change.name}: ${error.message}`);
        return undefined;
      });
      if (!line) continue;
      lines.add(line);
      console.error(JSON.stringify(line));
    }
  } finally {
    await service.stop();
    await site.close();
  }
}

if (values.publish) publish(lines.all);
else await measureAll();
console.log(toTable(lines.all));
