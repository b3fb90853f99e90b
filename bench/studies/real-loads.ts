/**
 * `npm run bench:loads [-- ROUNDS]` records real loads of three local pages, audited and stored by a service, one after
 * the other. Their values go to bench/change/real-loads.json, for `npm run bench:change`. The pages take turns, so that
 * other work on the machine affects all of them equally.
 */
import { writeFileSync } from 'node:fs';
import type { Static } from 'typebox';
import { startSite } from '../../demo/site.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { startFidelitySite } from '../egress/fidelity-site.ts';
import { startServiceProcess } from '../processes.ts';

const [rounds = 35] = process.argv.slice(2).map(Number).filter(Number.isFinite);
const file = new URL('../change/real-loads.json', import.meta.url);

const [site, resources] = [await startSite(), await startFidelitySite('HTTP/1.1', 50)];
const pages: Readonly<Record<string, string>> = {
  good: `${site.url}/good.html`,
  faulty: `${site.url}/faulty.html`,
  'thirty resources': resources.url,
};
const service = await startServiceProcess();

async function ask(path: string, parameters: Record<string, string>): Promise<unknown> {
  const response = await fetch(`${service.url}${path}?${new URLSearchParams(parameters)}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${path} is ${response.status}: ${body}`);
  return JSON.parse(body);
}

for (let round = 1; round <= rounds; round += 1) {
  for (const url of Object.values(pages)) await ask('/lighthouse', { url, categories: 'performance' });
  console.error(`${round} of ${rounds}`);
}

const readLoads = async (url: string) => {
  const { results } = (await ask('/results', { url, limit: '1000' })) as Static<typeof KeptPage>;
  const read = async ({ id, fetched_at: time, scores, metrics }: (typeof results)[number]) => ({
    time,
    benchmark_index: ((await ask(`/results/${id}`, {})) as Result).environment.benchmark_index,
    scores: { performance: scores.performance },
    metrics: Object.fromEntries(
      Object.entries(metrics)
        .filter(([name]) => name !== 'interactive' && name !== 'server_response_time')
        .map(([name, value]) => [name, value === null ? null : Number(value.toFixed(4))]),
    ),
  });
  return Promise.all(results.toReversed().map(read));
};
const loads: Record<string, unknown[]> = {};
for (const [name, url] of Object.entries(pages)) loads[name] = await readLoads(url);
writeFileSync(file, `${JSON.stringify(loads, null, 1)}\n`);

await service.stop();
await Promise.all([site.close(), resources.close()]);
