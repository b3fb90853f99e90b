/**
 * `npm run bench:lists` measures how long sorting and searching a list of 1,000 pages take on the page, in a real
 * browser.
 */

import pino from 'pino';
import { createService } from '../src/service/service.ts';
import { readSettings } from '../src/settings/settings.ts';
import { openPage, startBrowser } from '../test/web/browser.ts';
import { buildFailedAudit, buildResult } from '../test/web/reports.ts';

const pages = 1000;
const rounds = 15;

const hooks: (() => Promise<void> | void)[] = [];
const scope = { after: (hook: () => Promise<void> | void) => void hooks.push(hook) };

const toUrl = (at: number): string => `https://harbour.example/berths/${at}?season=${at % 4}`;
/** A result with ten findings, whose values differ from those of its neighbours. */
const toEntry = (url: string) => {
  const at = Number(/\/(\d+)\?/.exec(url)?.[1]);
  const score = (7 * at) % 101;
  return buildResult({
    url,
    scores: { performance: score, accessibility: 100 - (at % 30), 'best-practices': 96, seo: (3 * at) % 101 },
    metrics: { largest_contentful_paint: 500 + ((37 * at) % 9000), total_blocking_time: (13 * at) % 2000 },
    failed_audits: Array.from({ length: 10 }, (_, no) =>
      buildFailedAudit(`audit-${(at + no) % 25}`, { savings: { total_blocking_time: (at * no) % 900 } }),
    ),
  });
};

const toMedian = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Times the script and the layout that follows. Drawing the next frame adds at most 17 ms. */
const timed = (act: string) => `(() => {
  const begin = performance.now();
  ${act};
  document.body.getBoundingClientRect();
  return performance.now() - begin;
})()`;

try {
  const { PATH, XDG_CACHE_HOME } = process.env;
  const settings = readSettings({ PORT: '0', DATA_DIR: 'none', PATH, XDG_CACHE_HOME });
  const service = await createService(settings, pino({ level: 'silent' }));
  scope.after(() => service.close(0));
  const base = await service.listen();
  const browser = await startBrowser(scope);
  const page = await openPage(scope, browser);
  await page.route('**/psi', async route => {
    const { urls } = JSON.parse(route.request().postData() ?? '') as { urls: string[] };
    const body = urls.map((url, index) => `${JSON.stringify({ index, ...toEntry(url) })}\n`).join('');
    await route.fulfill({ contentType: 'application/x-ndjson', body });
  });
  const urls = Array.from({ length: pages }, (_, at): [string, string] => ['url', toUrl(at)]);
  const query = new URLSearchParams([...urls, ['backend', 'remote'], ['strategy', 'mobile']]);
  await page.goto(`${base}/#${query}`);
  await page.locator('.common').waitFor({ timeout: 120_000 });

  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  /** CPU time of script, style and layout so far, in milliseconds; it excludes other programs. */
  const readProcessor = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    const wanted = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
    return metrics.reduce((sum, { name, value }) => sum + (wanted.includes(name) ? 1000 * value : 0), 0);
  };

  const measure = async (what: string, acts: readonly string[]): Promise<void> => {
    const before = await readProcessor();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const act of acts) times.push(Number(await page.evaluate(timed(act))));
    const processor = ((await readProcessor()) - before) / times.length;
    console.log(
      `${what}: median ${toMedian(times).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms; ${processor.toFixed(1)} ms of a processor (${times.length} times)`,
    );
  };
  const sort = (column: number) => `document.querySelectorAll('.batch .sort')[${column}].click()`;
  const search = (text: string) =>
    `{ const field = document.querySelector('[type=search]'); field.value = '${text}'; field.dispatchEvent(new Event('input', { bubbles: true })); }`;
  const rows = () => page.locator('.batch tbody tr').count();

  console.log(`${pages} pages, of which ${await rows()} are drawn:`);
  await measure('  sort', [0, 1, 4, 5, 6].map(sort));
  await measure('  search', ['1', '12', 'season=3', ''].map(search));
  const showAll = `[...document.querySelectorAll('.more-lines button')].at(-1).click()`;
  const afterAll: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.evaluate(showAll);
    if ((await rows()) !== pages) throw new Error('not all are drawn');
    afterAll.push(Number(await page.evaluate(timed(sort(4)))));
  }
  console.log(`  sort where all were drawn: median ${toMedian(afterAll).toFixed(1)} ms (${afterAll.length} times)`);
} finally {
  for (const hook of hooks.reverse()) await hook();
}
