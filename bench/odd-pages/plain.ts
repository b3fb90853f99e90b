/**
 * Runs plain `lighthouse()` in a separate process, as a program would use it: warm, with a new browser for each page, and
 * without a proxy. A page on which it hangs costs it the process.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from 'lighthouse';
import type { PreparedBrowser } from '../../src/measure/lighthouse/messages.ts';
import { marker } from './answers.ts';

/** What an audit said about a page. */
export type Said = {
  /** `measured`, the code of an error, or `hung`. */
  outcome: string;
  /** Message of an error. */
  detail?: string;
  pageStatus?: number;
  isRetryable?: boolean;
  scores: Record<string, number | null>;
  warnings: string[];
  /** Ids of audits that failed with an error of their own. */
  erred: string[];
  hasMarker: boolean;
  seconds: number;
};

export const categories = ['performance', 'accessibility', 'best-practices', 'seo'];

export const notMeasured = { scores: {}, warnings: [], erred: [], hasMarker: false };

const toPoints = (score: number | null | undefined): number | null =>
  typeof score === 'number' ? Math.round(100 * score) : null;

/** Reads a Lighthouse result of either side. */
export const readLhr = (lhr: Pick<Result, 'categories' | 'runWarnings' | 'audits'>) => ({
  scores: Object.fromEntries(categories.map(name => [name, toPoints(lhr.categories[name]?.score)])),
  warnings: lhr.runWarnings.map(String),
  erred: Object.values(lhr.audits)
    .filter(({ scoreDisplayMode }) => scoreDisplayMode === 'error')
    .map(({ id }) => id),
  hasMarker: JSON.stringify(lhr.audits).includes(marker),
});

/** Lighthouse's own limits for one page add up to less. */
const mostMs = 240_000;

type Order = { url: string; folder: string; browser: PreparedBrowser };
type Message = { browserPid: number } | { said: Omit<Said, 'seconds'> };

const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const startProcess = () =>
  fork(fileURLToPath(import.meta.url), ['run'], {
    ...user,
    env: { PATH: process.env.PATH, HOME: tmpdir() },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });

/** Kills the process of a page on which Lighthouse hangs, and its browser, which is a process group. */
function killBoth(child: ChildProcess, browserPid: number | undefined): void {
  child.kill('SIGKILL');
  try {
    if (browserPid) process.kill(-browserPid, 'SIGKILL');
  } catch {
    // The browser has ended.
  }
}

export function startPlain(browser: PreparedBrowser) {
  let child = startProcess();

  async function run(url: string, folder: string): Promise<Omit<Said, 'seconds'>> {
    let browserPid: number | undefined;
    const over = Promise.withResolvers<Omit<Said, 'seconds'>>();
    const hear = (message: Message) => {
      if ('said' in message) over.resolve(message.said);
      else browserPid = message.browserPid;
    };
    const end = (outcome: string) => {
      killBoth(child, browserPid);
      child = startProcess();
      over.resolve({ ...notMeasured, outcome });
    };
    const onExit = () => end('exited');
    const timer = setTimeout(() => end('hung'), mostMs);
    const running = child.on('message', hear).once('exit', onExit);
    running.send({ url, folder, browser } satisfies Order);
    try {
      return await over.promise;
    } finally {
      clearTimeout(timer);
      running.off('message', hear).off('exit', onExit);
    }
  }

  return {
    async audit(url: string): Promise<Said> {
      const folder = await mkdtemp(join(tmpdir(), 'rangelight-odd-'));
      await chmod(folder, 0o777);
      const begun = performance.now();
      const said = await run(url, folder);
      const seconds = (performance.now() - begun) / 1000;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
      return { ...said, seconds };
    },
    stop: () => void child.kill(),
  };
}

const tell = (message: Message) => void process.send?.(message);

async function audit({ url, folder, browser }: Order): Promise<Omit<Said, 'seconds'>> {
  const [{ default: lighthouse }, { launch }] = await Promise.all([import('lighthouse'), import('puppeteer-core')]);
  const chrome = await launch({
    executablePath: browser.executablePath,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, ...browser.env },
    headless: 'shell',
    pipe: true,
    userDataDir: `${folder}/profile`,
    args: ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const browserPid = chrome.process()?.pid;
  if (browserPid) tell({ browserPid });
  try {
    const page = await chrome.newPage();
    const flags = { logLevel: 'silent', output: 'json', onlyCategories: categories } as const;
    const outcome = await lighthouse(url, flags, undefined, page);
    if (!outcome) return { ...notMeasured, outcome: 'nothing' };
    const { runtimeError } = outcome.lhr;
    const error = runtimeError && { outcome: runtimeError.code, detail: runtimeError.message };
    return { ...readLhr(outcome.lhr), outcome: 'measured', ...error };
  } catch (error) {
    return { ...notMeasured, outcome: 'thrown', detail: String(error) };
  } finally {
    await chrome.close();
  }
}

if (process.argv[2] === 'run') process.on('message', async (order: Order) => tell({ said: await audit(order) }));
