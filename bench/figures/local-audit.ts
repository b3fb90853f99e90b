/** Compares `/lighthouse` with Lighthouse itself: same page, browser and user, alternately. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startLibraryProcess } from '../library.ts';
import { measurePairs, type Paired, timeMs } from '../measure.ts';
import { findOwnBrowser } from '../own-browser.ts';
import type { Running } from '../processes.ts';
import { watchProcessorTime } from '../processor-time.ts';

type Categories = 'performance,accessibility,best-practices,seo' | 'seo';

export const all: Categories = 'performance,accessibility,best-practices,seo';

const commandPath = fileURLToPath(import.meta.resolve('lighthouse/cli/index.js'));

/** Under root, the command runs as the user of the service's workers, so that both have the browser's sandbox. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

async function runCommand(url: string, categories: Categories): Promise<void> {
  const browser = await findOwnBrowser();
  const { PATH = '' } = process.env;
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-bench-'));
  await chmod(folder, 0o777);
  const flags = '--headless --disable-quic --disable-background-networking --disable-component-update --disable-sync';
  const output = ['--output=json', `--output-path=${folder}/lhr.json`, '--quiet', '--no-enable-error-reporting'];
  const only = `--only-categories=${categories}`;
  const child = spawn(process.execPath, [commandPath, url, ...output, only, `--chrome-flags=${flags}`], {
    ...user,
    env: { PATH, HOME: folder, TMPDIR: folder, CHROME_PATH: browser.executablePath, ...browser.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', chunk => {
    errors += String(chunk);
  });
  const [code] = await once(child, 'exit');
  await rm(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the lighthouse command failed: ${errors}`);
}

export async function ask(baseUrl: string, url: string, categories: Categories): Promise<void> {
  const response = await fetch(`${baseUrl}/lighthouse?url=${encodeURIComponent(url)}&categories=${categories}`);
  const result = (await response.json()) as { scores?: Record<string, number | null> };
  if (typeof result.scores?.[categories.split(',')[0] ?? ''] !== 'number')
    throw new Error(`no score: ${JSON.stringify(result).slice(0, 500)}`);
}

export type AuditCase = {
  service: Running;
  pageUrl: string;
  categories: Categories;
  /** Whether both have run before. Otherwise each runs once unmeasured, because cold files would distort the result. */
  isWarm?: boolean;
};

/** Milliseconds for one audit. */
async function compareAudits(
  { service, pageUrl, categories, isWarm }: AuditCase,
  theirs: () => Promise<unknown>,
  pairs: number,
): Promise<Paired> {
  const ours = () => ask(service.url, pageUrl, categories);
  if (!isWarm) {
    await ours();
    await theirs();
  }
  return measurePairs(
    pairs,
    () => timeMs(ours),
    () => timeMs(theirs),
    (pair, own, other) =>
      console.error(`  audit ${pair}/${pairs}: service ${Math.round(own)} ms, other ${Math.round(other)} ms`),
  );
}

export const compareWithCommand = (audit: AuditCase, pairs: number): Promise<Paired> =>
  compareAudits(audit, () => runCommand(audit.pageUrl, audit.categories), pairs);

/** `lighthouse()` in a process that has run it before, with a new browser for each audit. */
export async function compareWithLibrary(audit: AuditCase, pairs: number): Promise<Paired> {
  const library = await startLibraryProcess(await findOwnBrowser());
  try {
    return await compareAudits(audit, () => library.audit(audit.pageUrl), pairs);
  } finally {
    library.stop();
  }
}

/**
 * The service starts the browser of the next audit after an answer, so the CPU time of this pause counts for the audit
 * before it.
 */
const restMs = 1_500;

/**
 * CPU seconds of one audit, including all child processes: worker, threads, browsers and spare browsers of the service;
 * the calling process and its browser for `lighthouse()`.
 */
export async function compareProcessorTime(
  { service, pageUrl, categories }: AuditCase,
  { audits }: { audits: number },
): Promise<Paired> {
  const library = await startLibraryProcess(await findOwnBrowser());
  // Two warm-up audits, because the second audit of a worker still compiles code that the first did not run.
  for (const _ of [1, 2]) {
    await ask(service.url, pageUrl, categories);
    await library.audit(pageUrl);
  }
  await delay(restMs);
  const [own, other] = [watchProcessorTime(service.pid), watchProcessorTime(library.pid)];
  const secondsOf = async (watch: typeof own, audit: () => Promise<unknown>) => {
    const before = watch.seconds();
    await audit();
    await delay(restMs);
    return watch.seconds() - before;
  };
  try {
    return await measurePairs(
      audits,
      () => secondsOf(own, () => ask(service.url, pageUrl, categories)),
      () => secondsOf(other, () => library.audit(pageUrl)),
      (pair, ours, theirs) =>
        console.error(`  processor ${pair}/${audits}: service ${ours.toFixed(2)} s, library ${theirs.toFixed(2)} s`),
    );
  } finally {
    for (const watch of [own, other]) watch.stop();
    library.stop();
  }
}

/** Audits per second with two concurrent clients, compared with one. */
export async function compareSlots(
  { service, pageUrl, categories }: AuditCase,
  { slots: pairs, inSlots: audits }: { slots: number; inSlots: number },
): Promise<Paired> {
  const perSecond = async (clients: number): Promise<number> => {
    let left = audits;
    const client = async () => {
      while (left-- > 0) await ask(service.url, pageUrl, categories);
    };
    return (audits * 1000) / (await timeMs(() => Promise.all(Array.from({ length: clients }, client))));
  };
  // The worker of the second slot starts here, not in the measurement.
  await perSecond(2);
  return measurePairs(
    pairs,
    () => perSecond(2),
    () => perSecond(1),
    (pair, two, one) => console.error(`  slots ${pair}/${pairs}: two ${two.toFixed(3)}/s, one ${one.toFixed(3)}/s`),
  );
}
