/** A real browser with pages of the service in it. It makes no request beyond this machine. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import type { Scope } from '../support/start-service.ts';

export type OpenedPage = Page & {
  /** What the browser refused by the page's policy, and what failed in its scripts. */
  readonly faults: readonly string[];
};

const watch = (page: Page): OpenedPage => {
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(`${error}`));
  page.on('console', message => {
    // A failed request is one of the states of the page, and no fault of it.
    const isFault = message.type() === 'error' && !message.text().startsWith('Failed to load resource');
    if (isFault || /Content Security Policy|Trusted/.test(message.text())) faults.push(message.text());
  });
  return Object.assign(page, { faults });
};

async function launchBrowser(): Promise<Browser> {
  const found = findBrowser({
    chromePath: process.env.CHROME_PATH,
    path: process.env.PATH ?? '',
    cacheHome: process.env.XDG_CACHE_HOME,
  });
  if (!found) throw new Error('These tests need a browser: there is none on this machine');
  const { executablePath, env } = await found.prepare();
  return chromium.launch({
    executablePath,
    env: { ...process.env, ...env } as Record<string, string>,
    args: ['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
  });
}

let launched: Promise<Browser> | undefined;
let users = 0;

/**
 * The browser the audits run in, without a sandbox where there is none: it opens pages of these tests only. All files of
 * one process share it, and the last scope that ends closes it.
 */
export async function startBrowser(scope: Scope): Promise<Browser> {
  users += 1;
  scope.after(async () => {
    users -= 1;
    if (users > 0) return;
    const last = await launched;
    launched = undefined;
    await last?.close();
  });
  launched ??= launchBrowser();
  return launched;
}

/** A page in a profile of its own, closed with its scope. */
export async function openPage(
  scope: Scope,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  scope.after(() => context.close());
  return watch(await context.newPage());
}
