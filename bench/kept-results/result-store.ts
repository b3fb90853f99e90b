/**
 * `node bench/kept-results/result-store.ts [ENTRIES]` measures the result store with 100,000 results in one SQLite
 * file. Times are in milliseconds. `--keep FOLDER` fills a folder that is not deleted and is used again the next time.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { unpackSeries } from '../../src/storage/results/packed-series.ts';
import type { ResultStore } from '../../src/storage/results/store.ts';
import { percentile, timeMs } from '../measure.ts';
import { beginMs, entryAt, fillStore, urlOf } from './filled-store.ts';

const [count = 100_000] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const folderAt = process.argv.indexOf('--keep') + 1;
const folder = folderAt > 0 ? String(process.argv[folderAt]) : mkdtempSync(join(tmpdir(), 'rangelight-bench-'));

const hourMs = 3_600_000;

async function measure(times: number, work: (at: number) => Promise<unknown>): Promise<string> {
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) taken.push(await timeMs(() => work(at)));
  const at = (share: number) => percentile(taken, share).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${Math.max(...taken).toFixed(1)}`;
}

/** Prints the CPU time of this thread for each insert: an upper bound of how long it blocks the event loop. */
async function measureInserts(store: ResultStore, name: string, bytes: number): Promise<void> {
  const entries = Array.from({ length: 100 }, (_, at) => entryAt(count + at, bytes));
  const held: number[] = [];
  const times = await measure(entries.length, async at => {
    const begun = process.threadCpuUsage();
    await store.keep(entries[at] ?? entryAt(0, 1));
    const { user, system } = process.threadCpuUsage(begun);
    held.push((user + system) / 1000);
  });
  console.log(`insert, ${name}      ${times}   at most 20`);
  console.log(
    `  of this thread    p50 ${percentile(held, 0.5).toFixed(1)}, max ${Math.max(...held).toFixed(1)}   at most 10`,
  );
}

console.error(`Filling ${folder} …`);
const store = await openResultStore({ dataDir: folder });
await fillStore(store, count);
const known = (await store.list({ limit: 1000 })).results;

console.log(
  `${store.status().entries} entries, ${(store.status().bytes / store.status().entries).toFixed(0)} bytes each as they count`,
);
console.log(`list, all           ${await measure(300, () => store.list({ limit: 50 }))}   p99 under 50`);
console.log(
  `list, one page      ${await measure(300, at => store.list({ url: urlOf(at), strategy: 'mobile', limit: 50 }))}`,
);
console.log(
  `list, host, source  ${await measure(300, () => store.list({ host: 'example.com', source: 'psi', limit: 50 }))}`,
);
console.log(`list, nothing found ${await measure(100, () => store.list({ host: 'example.com', source: 'compare' }))}`);
console.log(
  `list, long ago      ${await measure(300, at => store.list({ untilMs: beginMs + (at + 1) * 24 * hourMs, limit: 50 }))}`,
);
console.log(
  `series of ${unpackSeries(await store.series({ url: urlOf(1), strategy: 'desktop', source: 'lighthouse', metric: 'speed_index' })).points.length}       ${await measure(
    300,
    at =>
      store.series({
        url: urlOf(2 * at + 1),
        strategy: 'desktop',
        source: 'lighthouse',
        metric: 'largest_contentful_paint',
      }),
  )}`,
);
console.log(`by label            ${await measure(300, at => store.byLabel(`build ${at * 50}`))}`);
console.log(`get                 ${await measure(1000, at => store.get(known[(at * 7) % known.length]?.id ?? ''))}`);
console.log(`full                ${await measure(1000, at => store.full(known[(at * 7) % known.length]?.id ?? ''))}`);
await measureInserts(store, '60 KB ', 60_000);
await measureInserts(store, '1.5 MB', 1_500_000);
const { entries } = store.status();
await store.close();
const { size } = statSync(join(folder, databaseFile));
console.log(
  `file                ${(size / 1e6).toFixed(0)} MB, with 100 of 1.5 MB; ${(size / entries).toFixed(0)} bytes a result`,
);
if (folderAt === 0) rmSync(folder, { recursive: true });
