/**
 * Runs `lighthouse()` in a separate process that stays warm, as a program would use it: with a new browser for each
 * page.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PreparedBrowser } from '../src/measure/lighthouse/messages.ts';
import { type LoadValues, readLoadValues } from './studies/load-values.ts';
import { type LoadTimeline, sampleCpu, toTimeline } from './studies/quiet/load-timeline.ts';

type Order = {
  url: string;
  folder: string;
  browser: PreparedBrowser;
  categories: readonly string[];
  wantsTimeline: boolean;
};
type Outcome = { values: LoadValues; timeline: LoadTimeline | undefined };

const all = ['performance', 'accessibility', 'best-practices', 'seo'];

const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export async function startLibraryProcess(browser: PreparedBrowser) {
  const child = fork(fileURLToPath(import.meta.url), ['run'], {
    ...user,
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  async function carryOut(order: Omit<Order, 'folder' | 'browser'>): Promise<Outcome> {
    const folder = await mkdtemp(join(tmpdir(), 'rangelight-bench-'));
    await chmod(folder, 0o777);
    child.send({ ...order, folder, browser } satisfies Order);
    const [outcome] = (await once(child, 'message')) as [Outcome | string];
    await rm(folder, { recursive: true, force: true });
    if (typeof outcome === 'string') throw new Error(`lighthouse() gave no score: ${outcome}`);
    return outcome;
  }

  return {
    pid: child.pid ?? Number.NaN,
    /** @throws Error if Lighthouse returns no score */
    audit: async (url: string, categories: readonly string[] = all): Promise<LoadValues> =>
      (await carryOut({ url, categories, wantsTimeline: false })).values,
    /** Returns when what happened in a load. @throws Error if Lighthouse returns no score */
    async timeline(url: string): Promise<LoadTimeline> {
      const { timeline } = await carryOut({ url, categories: all, wantsTimeline: true });
      if (!timeline) throw new Error('lighthouse() gave no trace');
      return timeline;
    },
    stop: () => void child.kill(),
  };
}

async function audit({ url, folder, browser, categories, wantsTimeline }: Order): Promise<Outcome | undefined> {
  const [{ default: lighthouse }, { launch }] = await Promise.all([import('lighthouse'), import('puppeteer-core')]);
  const chrome = await launch({
    executablePath: browser.executablePath,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, ...browser.env },
    headless: 'shell',
    pipe: true,
    userDataDir: `${folder}/profile`,
    args: ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const pid = chrome.process()?.pid;
  const cpu = wantsTimeline && pid ? sampleCpu(pid) : undefined;
  try {
    const onlyCategories = [...categories];
    const outcome = await lighthouse(
      url,
      { logLevel: 'silent', output: 'json', onlyCategories },
      undefined,
      await chrome.newPage(),
    );
    JSON.stringify(outcome?.lhr);
    return outcome && { values: readLoadValues(outcome.lhr), timeline: cpu && toTimeline(outcome, cpu.stop()) };
  } finally {
    cpu?.stop();
    await chrome.close();
  }
}

if (process.argv[2] === 'run')
  process.on('message', (order: Order) => {
    audit(order).then(
      outcome => process.send?.(outcome ?? 'none'),
      error => process.send?.(String(error)),
    );
  });
