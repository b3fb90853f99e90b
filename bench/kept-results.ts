/**
 * `npm run bench:results [-- ENTRIES]`: the routes of kept results with 100,000 of them in one SQLite file, and what
 * keeping adds to an audit. Times in milliseconds.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSite } from '../demo/site.ts';
import type { Result } from '../src/contract/result.ts';
import { createRecorder } from '../src/records/recorder.ts';
import { openResultStore } from '../src/results/open-store.ts';
import { fillStore, urlOf } from './filled-store.ts';
import { percentile, timeMs } from './measure.ts';
import { startServiceProcess } from './processes.ts';

const [count = 100_000] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const folder = mkdtempSync(join(tmpdir(), 'rangelight-bench-'));

const say = (taken: readonly number[]): string =>
  `p50 ${percentile(taken, 0.5).toFixed(1)}, p99 ${percentile(taken, 0.99).toFixed(1)}, max ${Math.max(...taken).toFixed(1)}`;

async function measure(times: number, work: (at: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) taken.push(await timeMs(() => work(at)));
  return taken;
}

console.error(`Filling ${folder} …`);
const filling = await openResultStore({ dataDir: folder });
await fillStore(filling, count);
const known = (await filling.list({ limit: 1000 })).results.map(({ id }) => id);
await filling.close();

const service = await startServiceProcess({ DATA_DIR: folder, KEEP_SIZE: '10000', KEEP_DAYS: '36500' });
const read = async (path: string): Promise<void> => {
  const response = await fetch(service.url + path);
  if (!response.ok) throw new Error(`${path} is ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
};
const page = (at: number) => encodeURIComponent(urlOf(at));
const idAt = (at: number): string => known[(at * 7) % known.length] ?? '';

const routes: readonly (readonly [name: string, times: number, toPath: (at: number) => string])[] = [
  ['list, all', 500, () => '/results'],
  ['list, one page', 500, at => `/results?url=${page(at)}&strategy=mobile`],
  ['list, a label', 500, at => `/results?label=build%20${at * 50}`],
  ['permalink', 1000, at => `/results/${idAt(at)}`],
  ['history, one page', 200, at => `/history?url=${page(2 * at + 1)}&strategy=desktop&metric=largest_contentful_paint`],
];
for (const [name, times, toPath] of routes)
  console.log(`${name.padEnd(20)}${say(await measure(times, at => read(toPath(at))))}   p99 under 50`);

console.error('Audits …');
const site = await startSite();
const response = await fetch(`${service.url}/lighthouse?url=${encodeURIComponent(`${site.url}/faulty.html`)}`);
const { lighthouse_result: lhr, id: _, links: __, ...result } = (await response.json()) as Result;
await site.close();
await service.stop();

const store = await openResultStore({ dataDir: folder });
const recorder = createRecorder({ store, machineId: 'bench', keepsArtifacts: false });
const lighthouseResult = Buffer.from(JSON.stringify(lhr));
const held: number[] = [];
const order = { result, lighthouseResult, profile: 'lighthouse', label: null, hasArtifacts: false } as const;
const added = await measure(200, async () => {
  const begun = process.threadCpuUsage();
  await recorder.result(order);
  const { user, system } = process.threadCpuUsage(begun);
  held.push((user + system) / 1000);
});
await store.close();
console.log(`keeping a result of ${(lighthouseResult.length / 1000).toFixed(0)} KB
  adds to an audit  ${say(added)}   at most 20
  holds the loop    ${say(held)}   at most 10`);
rmSync(folder, { recursive: true });
