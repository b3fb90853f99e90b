/** How long `/health` takes while two audits run all the time. */
import { percentile } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';

export type HealthTimes = { requests: number; audits: number; p50: number; p99: number; max: number };

/** Milliseconds, asked one after the other over a kept connection until `audits` audits have ended. */
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
      // A probe's pace, so that asking is no load of its own.
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
