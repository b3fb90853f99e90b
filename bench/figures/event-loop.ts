/**
 * Measures the longest turn of the service's event loop while results of 10 MB pass, local and remote, in every format.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Spread, toSpread } from '../measure.ts';
import { type Running, startAnalyserProcess, startServiceProcess } from '../processes.ts';
import { waitForBrowser } from './start.ts';

const probe = fileURLToPath(new URL('./loop-probe.ts', import.meta.url));
/** An answer for both strategies then has 10 MB. */
const analyserKilobytes = 5200;
const requests = 380;
const addressBytes = 8000;

/** A page whose result exceeds 10 MB, because it has many requests with long URLs. */
async function startHeavySite(): Promise<{ url: string; close(): void }> {
  const images = Array.from({ length: requests }, (_, at) => `<img src="/i?${at}${'x'.repeat(addressBytes)}" alt="">`);
  const page = `<!doctype html><title>heavy</title><p>text</p>${images.join('')}`;
  const server = createServer((request, response) => {
    response.setHeader('content-type', request.url === '/' ? 'text/html' : 'image/svg+xml');
    response.end(request.url === '/' ? page : '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

/** Reads the longest turn, which also resets the probe. */
async function readLongest(service: Running, file: string): Promise<number> {
  rmSync(file, { force: true });
  process.kill(service.pid, 'SIGUSR2');
  for (let text = ''; ; await delay(5)) {
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      // The probe has not written the file yet.
    }
    if (text !== '') return Number(text);
  }
}

async function read(url: string, headers: Record<string, string>): Promise<number> {
  const response = await fetch(url, { headers });
  const body = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${response.status} from ${url.slice(0, 200)}: ${body.toString().slice(0, 500)}`);
  return body.length;
}

export const allForms = [
  ...['remote, measured', 'remote, from the cache', 'remote, from the cache, gzip', 'remote, as events'],
  ...['local', 'local, zstd', 'local, as events'],
] as const;
type Form = (typeof allForms)[number];
/** The most common form, and for each source the form with the longest turns. */
export const quickForms: readonly Form[] = ['remote, measured', 'remote, as events', 'local, as events'];

export type LoopTurn = { what: string; longestMs: Spread; megabytes: number };

/** Measures each of these formats `times` times. */
export async function measureEventLoop(times: number, wanted: readonly Form[]): Promise<LoopTurn[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-loop-'));
  const file = join(folder, 'longest');
  const [site, analyser] = await Promise.all([startHeavySite(), startAnalyserProcess(analyserKilobytes)]);
  const service = await startServiceProcess({
    PSI_ENDPOINT: analyser.url,
    PSI_RATE: '100000',
    TARGETS: 'any',
    NODE_OPTIONS: `--import=${probe}`,
    LOOP_PROBE_FILE: file,
  });
  const remote = (page: number) => `${service.url}/psi?url=http%3A%2F%2F127.0.0.1%3A1234%2F${page}&detailed=true`;
  const local = `${service.url}/lighthouse?url=${encodeURIComponent(site.url)}`;
  let page = 0;
  const forms: Record<Form, () => Promise<number>> = {
    'remote, measured': () => read(remote(++page), { 'accept-encoding': 'identity' }),
    'remote, from the cache': () => read(remote(page), { 'accept-encoding': 'identity' }),
    'remote, from the cache, gzip': () => read(remote(page), { 'accept-encoding': 'gzip' }),
    'remote, as events': () => read(remote(++page), { accept: 'text/event-stream' }),
    local: () => read(local, { 'accept-encoding': 'identity' }),
    'local, zstd': () => read(local, { 'accept-encoding': 'zstd' }),
    'local, as events': () => read(local, { accept: 'text/event-stream' }),
  };
  try {
    // Starting the first worker blocks the loop briefly, whatever the size of a result. Other figures cover the start.
    await waitForBrowser(service.url);
    const turns: LoopTurn[] = [];
    for (const what of wanted) {
      const ask = forms[what];
      // The first request compiles code, which does not depend on the size, so it does not count.
      let bytes = await ask();
      await readLongest(service, file);
      const longest: number[] = [];
      for (let count = 0; count < times; count += 1) {
        bytes = await ask();
        longest.push(await readLongest(service, file));
      }
      const turn = { what, longestMs: toSpread(longest), megabytes: bytes / 1e6 };
      console.error(`  ${what}: ${turn.longestMs.median} ms (${turn.longestMs.max}), ${turn.megabytes.toFixed(1)} MB`);
      turns.push(turn);
    }
    return turns;
  } finally {
    site.close();
    await Promise.all([service.stop(), analyser.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
