/** Measures the response time of `/health` while two audits always run. */
import { percentile } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';

export type HealthTimes = { requests: number; audits: number; p50: number; p99: number; max: number };

/** Times in milliseconds, of sequential requests on one connection, until `audits` audits have ended. */
export async function measureHealthUnderLoad(pageUrl: string, audits: number): Promise<HealthTimes> {
  const service = await startServiceProcess();
  const times: number[] = [];
  let left = audits;
  const audit = async () => {
    while (left-- > 0) await (await fetch(`${service.url}/lighthouse?url=${encodeURIComponent(pageUrl)}`)).text();
  };
  try {
    await (await fetch(`${service.url}/lighthouse?url=${encodeURIComponent(pageUrl)}`)).text();
    let busy = true;
    const load = Promise.all([audit(), audit()]).finally(() => {
      busy = false;
    });
    while (busy) {
      const begun = performance.now();
      await (await fetch(`${service.url}/health`)).text();
      times.push(performance.now() - begun);
      // Requests arrive at the pace of a probe, so that they add no load.
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    await load;
    return {
      requests: times.length,
      audits,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: Math.max(...times),
    };
  } finally {
    await service.stop();
  }
}
