/**
 * Starts the sample site and the service, requests comparisons and a batch as a user would, and prints the answers.
 * `npm run demo -- --keep` leaves both running, so that the printed curl commands work.
 */
import pino from 'pino';
import { toTable } from '../src/cli/text/terminal/table.ts';
import { createService } from '../src/service/service.ts';
import { readSettings } from '../src/settings/settings.ts';
import { startSite } from './site.ts';

type Side = {
  scores?: Record<string, number | null>;
  metrics?: Record<string, { display_value: string | null }>;
  failed_audits?: { title: string }[];
  error?: { code: string; detail: string };
};
type Comparison = { verdict: string; scores: Record<string, { difference: number | null }> };

const keep = process.argv.includes('--keep');
const settings = readSettings({ ...process.env, PORT: process.env.PORT ?? '0', TARGETS: 'any' });
const service = await createService(settings, pino({ level: 'warn' }));
const site = await startSite();
const baseUrl = await service.listen();
const pages = [`${site.url}/good.html`, `${site.url}/faulty.html`];

console.log(`${service.describe()}\nSample site: ${pages.join(' and ')}\n`);

/** Shows that the demo is still working. */
async function withProgress<T>(what: string, work: Promise<T>): Promise<T> {
  const begun = performance.now();
  const seconds = () => ((performance.now() - begun) / 1000).toFixed(0);
  const line = () => process.stderr.write(`\r${what} … ${seconds()} s `);
  const timer = process.stderr.isTTY ? setInterval(line, 500) : undefined;
  if (!timer) process.stderr.write(`${what} …\n`);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    process.stderr.write(timer ? `\r${what}: done in ${seconds()} s\n` : '');
  }
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`${baseUrl}${path}`, init);
  return (await response.json()) as T;
}

const pathOf = (page: string) => new URL(page).pathname;
const scoresOf = (side: Side) => Object.values(side.scores ?? {}).map(score => String(score ?? '–'));
const metricsOf = (side: Side) =>
  ['largest_contentful_paint', 'total_blocking_time', 'cumulative_layout_shift'].map(
    name => side.metrics?.[name]?.display_value ?? '–',
  );
const columns = ['performance', 'accessibility', 'best practices', 'SEO', 'LCP', 'TBT', 'CLS'];
const toCells = (side: Side) =>
  side.error ? [`${side.error.code}: ${side.error.detail}`] : [...scoresOf(side), ...metricsOf(side)];
const withSign = (value: number | null) => (value === null ? '–' : `${value > 0 ? '+' : ''}${value}`);

async function showComparisons(): Promise<void> {
  const rows: string[][] = [];
  const verdicts: string[] = [];
  for (const page of pages) {
    const asked = ask<{ psi: Side; lighthouse: Side; comparison: Comparison | null }>(
      `/compare?url=${encodeURIComponent(page)}`,
    );
    const { psi, lighthouse, comparison } = await withProgress(`Comparing ${pathOf(page)}`, asked);
    const differences = Object.values(comparison?.scores ?? {}).map(({ difference }) => withSign(difference));
    rows.push([pathOf(page), 'remote', ...toCells(psi)], ['', 'local', ...toCells(lighthouse)]);
    rows.push(['', 'difference', ...differences]);
    if (comparison) verdicts.push(`${pathOf(page)}: ${comparison.verdict}`);
  }
  console.log(`\n/compare, mobile: the remote and the local analyser side by side\n`);
  console.log(toTable(['page', 'side', ...columns], rows));
  for (const verdict of verdicts) console.log(`  ${verdict}\n`);
  for (const page of pages) console.log(`  curl '${baseUrl}/compare?url=${encodeURIComponent(page)}'`);
}

async function showBatch(): Promise<void> {
  const body = JSON.stringify({ urls: [...pages, `${site.url}/missing.html`], strategy: 'desktop' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const batch = await withProgress(
    'A batch of three, one of which is not there',
    ask<{ results: (Side & { url: string })[]; succeeded: number; failed: number }>('/psi', init),
  );
  const rows = batch.results.map(result => [pathOf(result.url), ...toCells(result)]);
  console.log(`\nPOST /psi, desktop: ${batch.succeeded} analysed, ${batch.failed} failed, nothing lost\n`);
  console.log(toTable(['page', ...columns], rows));
  console.log(`  curl -X POST '${baseUrl}/psi' -H 'content-type: application/json' -d '${body}'`);
  const faulty = batch.results.find(result => result.url.endsWith('/faulty.html'));
  console.log(`\nWhat to fix first on /faulty.html:`);
  for (const audit of faulty?.failed_audits?.slice(0, 5) ?? []) console.log(`  - ${audit.title}`);
}

await withProgress('Getting the browser ready', service.warmUp());
await showComparisons();
await showBatch();
if (keep) {
  console.log('\nStill running: try the lines above. Ctrl-C ends it.');
} else {
  await service.close(0);
  await site.close();
}
