/** A real browser with pages of the service. It cannot resolve names other than localhost. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import type { Scope } from '../support/start-service.ts';

export type OpenedPage = Page & {
  /** Violations of the page's policy, and errors of its scripts. */
  readonly faults: readonly string[];
};

const watch = (page: Page): OpenedPage => {
  const faults: string[] = [];
  page.on('pageerror', error => faults.push(`${error}`));
  page.on('console', message => {
    // A failed request is one of the states of the page, not a fault.
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
 * Starts the browser that audits use. It has no sandbox, because it opens pages of these tests only. All files in a
 * process share it; the last scope that ends closes it.
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

/** Opens a page with its own profile, closed at the end of the scope. */
export async function openPage(
  scope: Scope,
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  scope.after(() => context.close());
  return watch(await context.newPage());
}
