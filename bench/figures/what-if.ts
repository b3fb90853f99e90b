/**
 * Times the predictions of one stored load, including the 25 cells of the map: for an ordinary page, and for a trace of
 * about 30 MB.
 */
import type { Result } from '../../src/contract/result/result.ts';
import type { WhatIf } from '../../src/contract/stored/what-if.ts';
import { type Spread, toSpread } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';
import { startHeavyPage } from './re-audits.ts';

const cells = 25;

/** Milliseconds from the request to the answer. Each request is for a new load, because answers are cached. */
export async function measureWhatIf(pageUrl: string, times: number): Promise<Spread> {
  const service = await startServiceProcess();
  const read = async <T>(path: string): Promise<T> => {
    const response = await fetch(new URL(path, service.url), { signal: AbortSignal.timeout(300_000) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const load = `lighthouse?${new URLSearchParams({ url: pageUrl, categories: 'performance' })}`;
  try {
    const measured: number[] = [];
    for (let count = 0; count < times; count += 1) {
      const { id } = await read<Result>(load);
      const begun = performance.now();
      const { map } = await read<WhatIf>(`results/${id}/what-if`);
      measured.push(performance.now() - begun);
      if (map.cells.length !== cells) throw new Error(`The map has ${map.cells.length} cells`);
      console.error(`  ${count + 1}/${times}: ${Math.round(measured.at(-1) ?? 0)} ms`);
    }
    return toSpread(measured);
  } finally {
    await service.stop();
  }
}

export async function measureHeavyWhatIf(times: number): Promise<Spread> {
  const page = await startHeavyPage();
  try {
    return await measureWhatIf(page.url, times);
  } finally {
    page.close();
  }
}
