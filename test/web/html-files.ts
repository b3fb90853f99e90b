/** Opens HTML reports as saved files in a real browser. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Scope } from '../support/start-service.ts';
import { type OpenedPage, openPage } from './browser.ts';

/** URLs that a page requests, its own first. Data URLs do not count. */
export const watchRequests = (page: OpenedPage): string[] => {
  const asked: string[] = [];
  page.on('request', request => {
    if (!request.url().startsWith('data:')) asked.push(request.url());
  });
  return asked;
};

export type OpenedFile = { page: OpenedPage; asked: string[] };

/** Writes a file and opens it. Both are removed at the end of the scope. */
export async function openFile(
  scope: Scope,
  browser: Browser,
  html: string,
  options: BrowserContextOptions = {},
): Promise<OpenedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-report-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.html');
  await writeFile(file, html);
  const page = await openPage(scope, browser, options);
  const asked = watchRequests(page);
  await page.goto(pathToFileURL(file).href);
  return { page, asked };
}

/** The part of Lighthouse's report that is drawn last. */
export const drawn = '.lh-footer';
export const untilDrawn = (page: OpenedPage) => page.locator(drawn).waitFor({ state: 'attached' });
