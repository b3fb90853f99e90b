/** `GET /psi` from the cache against a bare Fastify route that sends the same bytes, in turn. */
import autocannon from 'autocannon';
import { measurePairs, type Paired } from './measure.ts';
import { startBareProcess, startServiceProcess } from './processes.ts';

const seconds = 4;
const connections = 10;

const requestsPerSecond = async (url: string): Promise<number> => {
  const result = await autocannon({ url, connections, duration: seconds });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were not 200`);
  return result.requests.average;
};

/** Requests per second of each; the ratio is ours over theirs. */
export async function compareCachedPsi(
  pageUrl: string,
  strategy: 'mobile' | 'both',
  pairs: number,
): Promise<Paired & { bytes: number }> {
  const service = await startServiceProcess();
  const path = `/psi?url=${encodeURIComponent(pageUrl)}&strategy=${strategy}`;
  await (await fetch(service.url + path)).text();
  const cached = await fetch(service.url + path);
  const body = await cached.text();
  if (!cached.headers.get('cache-status')?.includes('hit')) throw new Error('the answer was not from the cache');
  const bare = await startBareProcess(body);
  // Code that has not run yet is slow code: both warm up before anything counts.
  await requestsPerSecond(service.url + path);
  await requestsPerSecond(bare.url + path);
  try {
    const paired = await measurePairs(
      pairs,
      () => requestsPerSecond(service.url + path),
      () => requestsPerSecond(bare.url + path),
      (pair, ours, theirs) =>
        console.error(
          `  cached ${strategy} ${pair}/${pairs}: service ${ours.toFixed(0)}/s, bare ${theirs.toFixed(0)}/s`,
        ),
    );
    return { ...paired, bytes: Buffer.byteLength(body) };
  } finally {
    await Promise.all([service.stop(), bare.stop()]);
  }
}
