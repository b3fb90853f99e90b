/** How long a start takes, and what an idle service has in memory. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Spread, toSpread } from './measure.ts';
import { startServiceProcess } from './processes.ts';

/** Proportional set size: what is shared with others counts by its share. */
const readMegabytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;

const idleMs = 10_000;

export async function measureStarts(times: number): Promise<{ listening: Spread; ready: Spread; idle: Spread }> {
  const found: { listening: number; ready: number; idle: number }[] = [];
  // The first has the browser to unpack and code to compile.
  for (let count = 0; count <= times; count += 1) {
    const begun = performance.now();
    const service = await startServiceProcess();
    try {
      const listening = performance.now() - begun;
      let health: { lighthouse: { sandbox: string } };
      do {
        await delay(20);
        health = (await (await fetch(`${service.url}/health`)).json()) as typeof health;
      } while (health.lighthouse.sandbox === 'untested');
      const ready = performance.now() - begun;
      await delay(idleMs);
      if (count > 0) found.push({ listening, ready, idle: readMegabytes(service.pid) });
      console.error(`  start ${count}/${times}: ${Math.round(listening)} ms, ready ${Math.round(ready)} ms`);
    } finally {
      await service.stop();
    }
  }
  const spreadOf = (name: keyof (typeof found)[number]) => toSpread(found.map(each => each[name]));
  return { listening: spreadOf('listening'), ready: spreadOf('ready'), idle: spreadOf('idle') };
}
