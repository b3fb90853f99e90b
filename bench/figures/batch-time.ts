/**
 * How close a batch comes to the time that its concurrency allows, with a PSI server that takes two seconds for each
 * page.
 */
import { type Spread, timeMs, toSpread } from '../measure.ts';
import { startAnalyserProcess, startServiceProcess } from '../processes.ts';

const pageMs = 2_000;
const concurrency = 4;

/** Ratio of the measured time to the minimum time. */
export async function measureBatch(pages: number, times: number): Promise<Spread> {
  const analyser = await startAnalyserProcess(100, pageMs);
  const settings = {
    PSI_ENDPOINT: analyser.url,
    PSI_CONCURRENCY: String(concurrency),
    PSI_RATE: '100000',
    DATA_DIR: 'none',
  };
  const service = await startServiceProcess(settings);
  const leastMs = Math.ceil(pages / concurrency) * pageMs;
  const ratios: number[] = [];
  try {
    for (let count = 0; count < times; count += 1) {
      const urls = Array.from({ length: pages }, (_, page) => `http://example.com/${count}/${page}`);
      const body = JSON.stringify({ urls, strategy: 'mobile' });
      const headers = { 'content-type': 'application/json' };
      const took = await timeMs(async () => {
        const answer = await fetch(`${service.url}/psi`, { method: 'POST', headers, body });
        const text = await answer.text();
        if (answer.status !== 200 || text.includes('"error"')) throw new Error(text.slice(0, 500));
      });
      ratios.push(took / leastMs);
      console.error(`  batch ${count + 1}/${times}: ${Math.round(took)} ms of at least ${leastMs}`);
    }
    return toSpread(ratios);
  } finally {
    await Promise.all([service.stop(), analyser.stop()]);
  }
}
