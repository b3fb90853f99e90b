/** Measures how long a start takes, and the memory of an idle service. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Spread, toSpread } from '../measure.ts';
import { startServiceProcess } from '../processes.ts';

/** Proportional set size: shared memory counts by its share. */
const readMegabytes = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;

const idleMs = 10_000;

export type Start = { listening: number; ready: number; idle: number };

/** Waits until the service has tried its browser. @throws Error if the browser has no sandbox */
export async function waitForBrowser(url: string): Promise<void> {
  let sandbox = 'untested';
  while (sandbox === 'untested') {
    await delay(20);
    const health = (await (await fetch(`${url}/health`)).json()) as { lighthouse: { sandbox: string } };
    sandbox = health.lighthouse.sandbox;
  }
  if (sandbox !== 'on') throw new Error(`the sandbox is ${sandbox}`);
}

/** Milliseconds until the service listens and until it has tried its browser, and megabytes after some idle seconds. */
export async function measureStart(startService = startServiceProcess, restMs = idleMs): Promise<Start> {
  const begun = performance.now();
  const service = await startService();
  try {
    const listening = performance.now() - begun;
    await waitForBrowser(service.url);
    const ready = performance.now() - begun;
    await delay(restMs);
    return { listening, ready, idle: readMegabytes(service.pid) };
  } finally {
    await service.stop();
  }
}

export async function measureStarts(times: number): Promise<Record<keyof Start, Spread>> {
  const found: Start[] = [];
  // The first start unpacks the browser and compiles code, so it does not count.
  await measureStart(startServiceProcess, 0);
  while (found.length < times) {
    const one = await measureStart();
    found.push(one);
    console.error(
      `  start ${found.length}/${times}: ${Math.round(one.listening)} ms, ready ${Math.round(one.ready)} ms`,
    );
  }
  const spreadOf = (name: keyof Start) => toSpread(found.map(each => each[name]));
  return { listening: spreadOf('listening'), ready: spreadOf('ready'), idle: spreadOf('idle') };
}
