/**
 * `npm run bench` measures the published figures in one run. `npm run bench -- --quick` takes less than four minutes.
 * `npm run bench -- --save` writes the figures, with commit and machine, to bench/results.json and their table to
 * docs/internals/measurement.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { startSite } from '../demo/site.ts';
import { measureBatch } from './figures/batch-time.ts';
import { type CachedCase, compareCachedPsi } from './figures/cached-psi.ts';
import { allForms, measureEventLoop, quickForms } from './figures/event-loop.ts';
import { measureHealthUnderLoad } from './figures/health-under-load.ts';
import {
  all,
  compareProcessorTime,
  compareSlots,
  compareWithCommand,
  compareWithLibrary,
} from './figures/local-audit.ts';
import { measureOwnPage } from './figures/own-page.ts';
import { measureHeavyReAudits, measureReAudits } from './figures/re-audits.ts';
import { measureStarts } from './figures/start.ts';
import { measureHeavyWhatIf, measureWhatIf } from './figures/what-if.ts';
import { type Paired, type Spread, toSpread } from './measure.ts';
import { startServiceProcess } from './processes.ts';
import { type Results, type Row, toLines, toTable, withTable } from './table.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, save: { type: 'boolean' } } });
const times = options.quick
  ? { audits: 1, slots: 1, inSlots: 2, cached: 1, seconds: 2, starts: 1, batchPages: 20, health: 2, turns: 1 }
  : { audits: 15, slots: 5, inSlots: 8, cached: 5, seconds: 4, starts: 5, batchPages: 50, health: 10, turns: 5 };
const [batches, reAudits] = options.quick ? [1, 1] : [3, 5];

const say = ({ median }: Spread, unit: string) => `${median}${unit}`;
const toRow = (what: string, { ratio, ours, theirs }: Paired, unit: string, wanted: Row['wanted']): Row => ({
  what,
  figure: ratio,
  unit: 'ratio',
  wanted,
  ours: say(ours, unit),
  theirs: say(theirs, unit),
});

const site = await startSite();
const [page, faulty] = [`${site.url}/good.html`, `${site.url}/faulty.html`];
const rows: Row[] = [];
const begun = performance.now();
const add = (...found: Row[]) => {
  rows.push(...found);
  console.error(`${toLines(found)}\n  after ${Math.round((performance.now() - begun) / 1000)} s`);
};

const service = await startServiceProcess();
const audit = { service, pageUrl: page, categories: all };
add(
  toRow('`/lighthouse` over the `lighthouse` command', await compareWithCommand(audit, times.audits), ' ms', {
    most: 0.45,
  }),
);
add(
  toRow('`/lighthouse` over `lighthouse()` in a warm process', await compareWithLibrary(audit, times.audits), ' ms', {
    most: 0.8,
  }),
);
add(
  toRow('processor seconds of `/lighthouse` over `lighthouse()`', await compareProcessorTime(audit, times), ' s', {
    most: 0.8,
  }),
);
const seo = { ...audit, categories: 'seo', isWarm: true } as const;
add(
  toRow('`/lighthouse?categories=seo` over the command with it', await compareWithCommand(seo, times.audits), ' ms', {
    most: 0.35,
  }),
);
// With two slots, a list may take at most 0.65 of the time with one slot: 1 / 0.65 = 1.54.
add(toRow('two slots over one, audits a second', await compareSlots(audit, times), '/s', { least: 1.54 }));
await service.stop();

const cached: readonly (CachedCase & { what: string; least: number })[] = [
  ...(options.quick ? [page] : [page, faulty]).map(pageUrl => ({
    pageUrl,
    query: 'strategy=mobile',
    what: 'one strategy',
  })),
  { pageUrl: faulty, query: 'strategy=both', what: 'both strategies' },
].flatMap(each => [
  // A quick run skips the route without duties, because the cost of the duties is known.
  ...(options.quick ? [] : [{ ...each, hasDuties: false, least: 0.5 }]),
  { ...each, hasDuties: true, least: 0.85 },
]);
for (const { what, least, ...each } of [
  ...cached,
  { pageUrl: faulty, query: 'detailed=true', isPacked: true, hasDuties: true, what: 'detailed, gzip', least: 0.7 },
]) {
  const found = await compareCachedPsi(each, times);
  const other = each.hasDuties ? 'one that logs' : 'a bare route';
  const kilobytes = Number((found.bytes / 1000).toPrecision(2));
  add(toRow(`cached \`/psi\`, ${what} (${kilobytes} KB), over ${other}`, found, '/s', { least }));
}

const health = await measureHealthUnderLoad(page, times.health);
add({
  what: `\`/health\` beside two audits, p99 of ${health.requests}`,
  figure: toSpread([health.p99]),
  unit: 'ms',
  wanted: { most: 50 },
});

const turns = await measureEventLoop(times.turns, options.quick ? quickForms : allForms);
add({
  what: 'the longest turn of the event loop, results of 10 MB',
  figure: toSpread([Math.max(...turns.map(({ longestMs }) => longestMs.max))]),
  unit: 'ms',
  wanted: { most: 20 },
});

const batch = await measureBatch(times.batchPages, batches);
add({
  what: `a batch of ${times.batchPages} pages over the least time possible`,
  figure: batch,
  unit: 'ratio',
  wanted: { most: 1.1 },
});

const { listening, ready, idle } = await measureStarts(times.starts);
add(
  { what: '`npm start` until it listens', figure: listening, unit: 'ms', wanted: { most: 1000 } },
  { what: '`npm start` until a browser is proven', figure: ready, unit: 'ms', wanted: { most: 4000 } },
  { what: 'the serving process, idle', figure: idle, unit: 'MB', wanted: { most: 120 } },
);

add({
  what: 'performance of the own page on mobile',
  figure: await measureOwnPage(times.starts),
  unit: 'points',
  wanted: { least: 98 },
});

const mostReAuditMs = { unit: 'ms', wanted: { most: 2000 } } as const;
add({ what: 'four re-audits of a usual page', figure: await measureReAudits(faulty, reAudits), ...mostReAuditMs });
if (!options.quick)
  add({ what: 'four re-audits of 30 MB of trace', figure: await measureHeavyReAudits(reAudits), ...mostReAuditMs });
add({
  what: 'predictions of a usual page, 25 cells with them',
  figure: await measureWhatIf(faulty, reAudits),
  unit: 'ms',
  wanted: { most: 3000 },
});
if (!options.quick)
  add({
    what: 'predictions of 30 MB of trace',
    figure: await measureHeavyWhatIf(reAudits),
    unit: 'ms',
    wanted: { most: 10_000 },
  });
await site.close();

console.log(`\n${toLines(rows)}`);

if (options.save) {
  const results: Results = {
    measured: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD']).toString().trim(),
    machine: { cores: cpus().length, model: cpus()[0]?.model, memoryGB: Math.round(totalmem() / 1e9) },
    node: process.version,
    rows,
  };
  writeFileSync(new URL('./results.json', import.meta.url), `${JSON.stringify(results, null, 2)}\n`);
  const document = new URL('../docs/internals/measurement.md', import.meta.url);
  writeFileSync(document, withTable(readFileSync(document, 'utf8'), toTable(results)));
}
