/**
 * `npm run bench:memory` measures how much memory a batch of large results takes, for each answer format, for a client
 * that reads and for one that does not. Linux only: the peak memory comes from /proc.
 * `npm run bench:memory -- --pages 50 --kilobytes 4400`
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask } from '../test/support/asking/slow-reader.ts';
import { type Running, startAnalyserProcess, startServiceProcess } from './processes.ts';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '50' },
    kilobytes: { type: 'string', default: '4400' },
    /** Part of the name of the runs to measure. */
    only: { type: 'string', default: '' },
  },
});
const pages = Number(values.pages);
const kilobytes = Number(values.kilobytes);

const mb = (bytes: number) => Math.round(bytes / 1024 / 1024);

/** `VmRSS` (current) or `VmHWM` (peak since the last reset), in bytes. */
const memoryOf = ({ pid }: Running, field: 'VmRSS' | 'VmHWM'): number =>
  1024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

const resetPeak = ({ pid }: Running) => writeFileSync(`/proc/${pid}/clear_refs`, '5');

/** CPU time so far, in clock ticks. */
const workOf = ({ pid }: Running): number => {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return Number(fields.split(' ')[11]) + Number(fields.split(' ')[12]);
};

/** Resolves when the process has used almost no CPU for three seconds. */
async function untilIdle(service: Running): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 6; ) {
    await delay(500);
    const now = workOf(service);
    quiet = now - before <= 1 ? quiet + 1 : 0;
    before = now;
  }
}

const readAll = async (socket: Socket): Promise<number> => {
  let bytes = 0;
  socket.on('data', chunk => {
    bytes += chunk.length;
  });
  socket.resume();
  await once(socket, 'close');
  return bytes;
};

const forms = { JSON: 'application/json', NDJSON: 'application/x-ndjson', SSE: 'text/event-stream' } as const;
const codings = { identity: {}, gzip: { 'accept-encoding': 'gzip' } } as const;

type Run = { form: keyof typeof forms; coding: keyof typeof codings; reads: boolean };

const runs: Run[] = Object.keys(forms).flatMap(form =>
  Object.keys(codings).flatMap(coding => [true, false].map(reads => ({ form, coding, reads }) as Run)),
);
const nameOf = ({ form, coding, reads }: Run) => `${form}, ${coding}, ${reads ? 'reads' : 'does not read'}`;

async function measure(run: Run, endpoint: string): Promise<void> {
  const service = await startServiceProcess({ PSI_ENDPOINT: endpoint, PSI_RATE: '100000' });
  try {
    await untilIdle(service);
    const idle = memoryOf(service, 'VmRSS');
    resetPeak(service);
    const began = performance.now();
    const socket = ask(service, {
      method: 'POST',
      target: '/psi',
      headers: { accept: forms[run.form], 'content-type': 'application/json', ...codings[run.coding] },
      body: JSON.stringify({
        urls: Array.from({ length: pages }, (_, page) => `https://example.com/${page}`),
        strategy: 'mobile',
        detailed: true,
      }),
    });
    if (!run.reads) await untilIdle(service);
    const unread = memoryOf(service, 'VmHWM') - idle;
    const bytes = await readAll(socket);
    const peak = memoryOf(service, 'VmHWM') - idle;
    const stalled = run.reads ? '' : ` (${mb(unread)} MB before it reads)`;
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(`| ${nameOf(run)} | ${mb(idle)} | ${mb(peak)}${stalled} | ${mb(bytes)} | ${seconds} |`);
  } finally {
    await service.stop();
  }
}

const analyser = await startAnalyserProcess(kilobytes);
console.log(`${pages} pages, results of ${kilobytes} KB of JSON, one strategy; in MB\n`);
console.log('| answer | idle | peak above idle | sent | seconds |\n|---|---|---|---|---|');
for (const run of runs) if (nameOf(run).includes(values.only)) await measure(run, analyser.url);
await analyser.stop();
