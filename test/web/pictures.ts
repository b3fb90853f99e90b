/** The pages of the pictures in docs/images, from a real service and the sample site. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startSite } from '../../demo/site.ts';
import { projectRoot } from '../contract/source-files.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { openPage } from './browser.ts';

export const pictureFolder = `${projectRoot}docs/images/`;

const wide = { viewport: { width: 1280, height: 1000 } };
const narrow = { viewport: { width: 360, height: 780 }, colorScheme: 'dark' } as const;

export type Shot = {
  readonly name: string;
  readonly asks?: Record<string, string>;
  /** Paths on the sample site. */
  readonly urls?: readonly string[];
  /** Selector of an element that must be visible before the picture is taken. */
  readonly shows: string;
  /** Selector of the element at the top of the picture. */
  readonly from?: string;
  readonly options: BrowserContextOptions;
};

const faulty = ['/faulty.html'];
export const shots: readonly Shot[] = [
  { name: 'start', shows: '.intro', options: { viewport: { width: 1280, height: 620 } } },
  {
    name: 'running',
    urls: faulty,
    asks: { backend: 'compare' },
    shows: '.lane [data-state=now]:text("Loading")',
    options: { viewport: { width: 1280, height: 780 } },
  },
  { name: 'result', urls: faulty, asks: { backend: 'local' }, shows: '.fixes', options: wide },
  { name: 'compare', urls: faulty, asks: { backend: 'compare' }, shows: '.compared', options: wide },
  {
    name: 'batch',
    urls: ['/good.html', '/faulty.html', '/missing.html'],
    asks: { backend: 'remote', strategy: 'both' },
    shows: 'th[aria-sort]',
    options: { viewport: { width: 1280, height: 1440 } },
  },
  { name: 'narrow', urls: faulty, asks: { backend: 'remote' }, shows: '.fixes', from: '.column', options: narrow },
];

/** Opens a page in the state of its picture. */
export type OpenShot = (shot: Shot) => Promise<Page>;

/** Starts the service, which stores results, as it does by default, and the site. */
export async function startPictured(scope: Scope, browser: Browser): Promise<OpenShot> {
  // The port in the README, if it is free.
  const site = await startSite(3000).catch(() => startSite());
  scope.after(() => site.close());
  const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope) });
  const pageAt = (path: string) => `${site.url.replace('127.0.0.1', 'localhost')}${path}`;
  return async ({ asks = {}, urls = [], shows, from, options }) => {
    const page = await openPage(scope, browser, { reducedMotion: 'reduce', ...options });
    const query = new URLSearchParams([
      ...urls.map((path): [string, string] => ['url', pageAt(path)]),
      ...Object.entries(asks),
    ]);
    await page.goto(urls.length > 0 ? `${service.url}/?${query}` : service.url);
    await page.locator(shows).first().waitFor({ timeout: 120_000 });
    await page
      .locator(from ?? 'body')
      .first()
      .evaluate(element => (element as unknown as { scrollIntoView(): void }).scrollIntoView());
    if (!from) await page.evaluate('scrollTo(0, 0)');
    return page;
  };
}

/** Links, headings and tabs: the parts of a page, whose texts do not depend on a measurement. */
const parts = 'nav a, h1, h2, h3, [role=tab]';

/** Returns the size of a page and its visible parts in their order, one per line, without numbers. */
export async function describePage(page: Page): Promise<string> {
  const size = page.viewportSize();
  const texts = await page.locator(parts).filter({ visible: true }).allInnerTexts();
  const lines = texts
    .map(text =>
      text
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/\d[\d.,]*/g, '0')
        .trim(),
    )
    .filter(Boolean);
  return `${[`${size?.width} × ${size?.height}`, ...lines].join('\n')}\n`;
}
