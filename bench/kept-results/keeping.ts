/**
 * `node bench/kept-results/keeping.ts FOLDER FILE` measures how long storing a result delays an audit, in an otherwise
 * idle process like the service after an audit. FOLDER is the store, FILE an answer of `/lighthouse`.
 */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createRecorder } from '../../src/analysis/records/recorder.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { sayTimes, timeMs } from '../measure.ts';

const [folder = '', file = ''] = process.argv.slice(2);
const times = 200;
/** Two concurrent audits end at least a second apart, so this pace is harder. */
const pauseMs = 400;

const { lighthouse_result: lhr, id: _, links: __, ...result } = JSON.parse(readFileSync(file, 'utf8')) as Result;
const lighthouseResult = Buffer.from(JSON.stringify(lhr));
const store = await openResultStore({ dataDir: folder });
const recorder = createRecorder({ store, machineId: 'bench', keepsArtifacts: false });
const order = { result, lighthouseResult, profile: 'lighthouse', label: null } as const;

const [added, held]: [number[], number[]] = [[], []];
for (let at = 0; at < times; at += 1) {
  await setTimeout(pauseMs);
  const begun = process.threadCpuUsage();
  added.push(await timeMs(() => recorder.result(order)));
  const { user, system } = process.threadCpuUsage(begun);
  held.push((user + system) / 1000);
}
await store.close();
console.log(`keeping a result of ${(lighthouseResult.length / 1000).toFixed(0)} KB, ${times} times
  adds to an audit    ${sayTimes(added)}   at most 20
  processor time of the serving thread  ${sayTimes(held)}   at most 10`);
