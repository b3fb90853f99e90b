/** Compares `GET /psi` from the cache with a bare Fastify route that sends the same bytes, alternately. */
import { get } from 'node:http';
import { buffer } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { measurePairs, type Paired } from '../measure.ts';
import { startBareProcess, startServiceProcess } from '../processes.ts';

const connections = 10;

export type CachedCase = { pageUrl: string; query: string; isPacked?: boolean; hasDuties: boolean };

/** Headers that the HTTP server sets for each answer. */
const ownHeaders = /^(date|connection|keep-alive|content-length|transfer-encoding)$/;

/** Returns the body without decompressing it. */
const readAsSent = (url: string, headers: Record<string, string>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    get(url, { headers }, answer => resolve(buffer(answer))).on('error', reject);
  });

/** Requests per second of both; the ratio is the service divided by the bare route. */
export async function compareCachedPsi(
  { pageUrl, query, isPacked = false, hasDuties }: CachedCase,
  { cached: pairs, seconds }: { cached: number; seconds: number },
): Promise<Paired & { bytes: number }> {
  const headers = { 'accept-encoding': isPacked ? 'gzip' : 'identity' };
  const requestsPerSecond = async (url: string): Promise<number> => {
    const result = await autocannon({ url, connections, headers, duration: seconds });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 200`);
    return result.requests.average;
  };
  const service = await startServiceProcess();
  const path = `/psi?url=${encodeURIComponent(pageUrl)}&${query}`;
  await (await fetch(service.url + path)).text();
  const cached = await fetch(service.url + path, { headers });
  const sent = Object.fromEntries([...cached.headers].filter(([name]) => !ownHeaders.test(name)));
  if (!cached.headers.get('cache-status')?.includes('hit')) throw new Error('the answer was not from the cache');
  const body = await readAsSent(service.url + path, headers);
  const bare = await startBareProcess(body, hasDuties ? sent : { 'content-type': 'application/json' }, hasDuties);
  // Warms up both, because Node compiles code on its first use.
  await requestsPerSecond(service.url + path);
  await requestsPerSecond(bare.url + path);
  try {
    const paired = await measurePairs(
      pairs,
      () => requestsPerSecond(service.url + path),
      () => requestsPerSecond(bare.url + path),
      (pair, ours, theirs) =>
        console.error(`  cached ${pair}/${pairs}: service ${ours.toFixed(0)}/s, bare ${theirs.toFixed(0)}/s`),
    );
    return { ...paired, bytes: body.length };
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
  }
}
