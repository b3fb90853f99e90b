/**
 * `npm run bench:results [-- ENTRIES [FOLDER]]` measures the routes of stored results with 100,000 results in one
 * SQLite file, and how long storing delays an audit. Times are in milliseconds. A named FOLDER is filled once and not
 * deleted.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSite } from '../../demo/site.ts';
import { databaseFile, openResultStore } from '../../src/storage/results/open-store.ts';
import { sayTimes, timeMs } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';
import { fillStore, urlOf } from './filled-store.ts';

const [count = '100000', named] = process.argv.slice(2);
const folder = named ?? mkdtempSync(join(tmpdir(), 'rangelight-bench-'));

async function measure(times: number, work: (at: number) => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < times; at += 1) taken.push(await timeMs(() => work(at)));
  return taken;
}

console.error(`Filling ${folder} …`);
const filling = await openResultStore({ dataDir: folder });
await fillStore(filling, Number(count));
const known = (await filling.list({ limit: 1000 })).results.map(({ id }) => id);
const { entries } = filling.status();
await filling.close();
const { size } = statSync(join(folder, databaseFile));
console.log(`${entries} results, ${(size / entries / 1000).toFixed(1)} KB of the file for each`);

const service = await startServiceProcess({ DATA_DIR: folder, KEEP_SIZE: '10000', KEEP_DAYS: '36500' });
const read = async (path: string): Promise<void> => {
  const response = await fetch(service.url + path);
  if (!response.ok) throw new Error(`${path} is ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
};
const page = (at: number) => encodeURIComponent(urlOf(at));
const idAt = (at: number): string => known[(at * 7) % known.length] ?? '';
const historyOf = (at: number) => `/history?url=${page(2 * at + 1)}&strategy=desktop&metric=largest_contentful_paint`;

const routes: readonly (readonly [name: string, times: number, toPath: (at: number) => string])[] = [
  ['list, all', 500, () => '/results'],
  ['list, one page', 500, at => `/results?url=${page(at)}&strategy=mobile`],
  ['list, a label', 500, at => `/results?label=build%20${at * 50}`],
  ['permalink', 1000, at => `/results/${idAt(at)}`],
  ['history, one page', 200, at => historyOf(at + 1)],
  ['sites', 50, () => '/sites'],
  ['sites, searched', 50, at => `/sites?search=page-${at}`],
  ['schedules', 100, () => '/schedules'],
  ['jobs', 100, () => '/jobs?limit=20'],
  ['status', 100, () => '/health'],
];
// Waits until the service has tried its browser, because a starting service is busy.
while ((await fetch(`${service.url}/health/ready`)).status !== 200) await delay(100);
console.log(`first history, which starts a thread: ${(await timeMs(() => read(historyOf(0)))).toFixed(1)}`);
for (const [name, times, toPath] of routes)
  console.log(
    `${name.padEnd(20)}${sayTimes(await measure(times, at => read(toPath(at))))}   p99 under ${name.startsWith('sites') ? 300 : 50}`,
  );

const site = await startSite();
const response = await fetch(`${service.url}/lighthouse?url=${encodeURIComponent(`${site.url}/faulty.html`)}`);
const answer = join(folder, 'answer.json');
writeFileSync(answer, await response.text());
await site.close();
await service.stop();
spawnSync(process.execPath, [fileURLToPath(new URL('./keeping.ts', import.meta.url)), folder, answer], {
  stdio: 'inherit',
});
rmSync(named === undefined ? folder : answer, { recursive: true });
