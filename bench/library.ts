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

type Order = { url: string; folder: string; browser: PreparedBrowser; categories: readonly string[] };

const all = ['performance', 'accessibility', 'best-practices', 'seo'];

const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export async function startLibraryProcess(browser: PreparedBrowser) {
  const child = fork(fileURLToPath(import.meta.url), ['run'], {
    ...user,
    env: { PATH: process.env.PATH, HOME: tmpdir() },
  });
  return {
    pid: child.pid ?? Number.NaN,
    /** @throws Error if Lighthouse returns no score */
    async audit(url: string, categories: readonly string[] = all): Promise<LoadValues> {
      const folder = await mkdtemp(join(tmpdir(), 'rangelight-bench-'));
      await chmod(folder, 0o777);
      child.send({ url, folder, browser, categories } satisfies Order);
      const [values] = (await once(child, 'message')) as [LoadValues | string];
      await rm(folder, { recursive: true, force: true });
      if (typeof values === 'string') throw new Error(`lighthouse() gave no score: ${values}`);
      return values;
    },
    stop: () => void child.kill(),
  };
}

async function audit({ url, folder, browser, categories }: Order): Promise<LoadValues | undefined> {
  const [{ default: lighthouse }, { launch }] = await Promise.all([import('lighthouse'), import('puppeteer-core')]);
  const chrome = await launch({
    executablePath: browser.executablePath,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TMPDIR: folder, ...browser.env },
    headless: 'shell',
    pipe: true,
    userDataDir: `${folder}/profile`,
    args: ['--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  try {
    const onlyCategories = [...categories];
    const outcome = await lighthouse(
      url,
      { logLevel: 'silent', output: 'json', onlyCategories },
      undefined,
      await chrome.newPage(),
    );
    JSON.stringify(outcome?.lhr);
    return outcome && readLoadValues(outcome.lhr);
  } finally {
    await chrome.close();
  }
}

if (process.argv[2] === 'run')
  process.on('message', (order: Order) => {
    audit(order).then(
      values => process.send?.(values ?? 'none'),
      error => process.send?.(String(error)),
    );
  });
