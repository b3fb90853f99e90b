/** Measures the performance of the project's own page: one service serves the page, another audits it. */
import { type Spread, toSpread } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';

/** Performance scores on mobile, 0 to 100. */
export async function measureOwnPage(times: number): Promise<Spread> {
  const page = await startServiceProcess();
  const service = await startServiceProcess();
  try {
    const scores: number[] = [];
    while (scores.length < times) {
      const query = new URLSearchParams({ url: `${page.url}/`, strategy: 'mobile', categories: 'performance' });
      const response = await fetch(`${service.url}/lighthouse?${query}`);
      const { scores: found } = (await response.json()) as { scores?: { performance?: number } };
      if (found?.performance === undefined) throw new Error(`no score: ${response.status}`);
      scores.push(found.performance);
    }
    return toSpread(scores);
  } finally {
    await Promise.all([service.stop(), page.stop()]);
  }
}
