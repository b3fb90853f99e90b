/**
 * `npm run screenshots` takes pictures of the main states of the page, with a real service and the sample site, into
 * `docs/images`.
 * `npm run screenshots -- FOLDER` takes every state at every width, light and dark, for review.
 */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { startSite } from '../../demo/site.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';
import { leadTo, stateNames } from './states.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));

const hooks: (() => Promise<void> | void)[] = [];
const scope = { after: (hook: () => Promise<void> | void) => void hooks.push(hook) };

/** The port in the README, if it is free. */
const site = await startSite(3000).catch(() => startSite());
scope.after(() => site.close());
// The service stores results, as it does by default.
const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope) });
const browser = await startBrowser(scope);

const pageAt = (path: string) => `${site.url.replace('127.0.0.1', 'localhost')}${path}`;
const wide = { viewport: { width: 1280, height: 1000 } };
const narrow = { viewport: { width: 360, height: 780 }, colorScheme: 'dark' } as const;

type Shot = {
  readonly name: string;
  readonly asks?: Record<string, string>;
  readonly urls?: readonly string[];
  /** Selector of an element that must be visible before the picture is taken. */
  readonly shows: string;
  /** Selector of the element at the top of the picture. */
  readonly from?: string;
  readonly options: BrowserContextOptions;
};

const faulty = [pageAt('/faulty.html')];
const shots: readonly Shot[] = [
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
    urls: ['/good.html', '/faulty.html', '/missing.html'].map(pageAt),
    asks: { backend: 'remote', strategy: 'both' },
    shows: 'th[aria-sort]',
    options: { viewport: { width: 1280, height: 1440 } },
  },
  { name: 'narrow', urls: faulty, asks: { backend: 'remote' }, shows: '.fixes', from: '.column', options: narrow },
];

async function take({ name, asks = {}, urls = [], shows, from, options }: Shot): Promise<void> {
  const page = await openPage(scope, browser, { reducedMotion: 'reduce', ...options });
  const query = new URLSearchParams([...urls.map((url): [string, string] => ['url', url]), ...Object.entries(asks)]);
  await page.goto(urls.length > 0 ? `${service.url}/?${query}` : service.url);
  await page.locator(shows).first().waitFor({ timeout: 120_000 });
  await page
    .locator(from ?? 'body')
    .first()
    .evaluate(element => (element as unknown as { scrollIntoView(): void }).scrollIntoView());
  if (!from) await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path: `${folder}${name}.png` });
  await page.close();
  console.log(`docs/images/${name}.png`);
}

/** A window of 1280 pixels at a zoom of 200 % is 640 CSS pixels wide. */
const widths = [320, 360, 640, 768, 1280] as const;

async function takeStates(into: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of stateNames) {
      const page = await openPage(scope, browser, { reducedMotion: 'reduce', colorScheme });
      await leadTo(scope, page, name);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        await page.screenshot({ path: `${into}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
      await page.context().close();
    }
}

const [into] = process.argv.slice(2);
try {
  await mkdir(into ?? folder, { recursive: true });
  if (into === undefined) for (const shot of shots) await take(shot);
  else await takeStates(into);
} finally {
  for (const hook of hooks.reverse()) await hook();
}
