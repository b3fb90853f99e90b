/**
 * `npm run bench:egress` measures how the egress proxy affects results. Two services audit the same page alternately,
 * one through its proxy, one with a browser that bypasses it; nothing else differs.
 * `npm run bench:egress -- --pairs 15 --delay 30`
 */
import { parseArgs } from 'node:util';
import { wrapBrowser } from '../../test/support/audits/wrapped-browser.ts';
import { percentile } from '../measure.ts';
import { type Running, startServiceProcess } from '../processes.ts';
import { type FidelitySite, type Protocol, startFidelitySite } from './fidelity-site.ts';

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '15' }, delay: { type: 'string', default: '30' } },
});
const pairs = Number(values.pairs);
const delayMs = Number(values.delay);

const metricNames = [
  ...['score', 'FCP', 'LCP', 'TBT', 'SI', 'observed FCP', 'observed LCP', 'observed load', 'connections'],
] as const;
type Measured = Readonly<Record<string, number>>;

type Metric = { value: number };
type Result = {
  scores: { performance: number };
  metrics: Record<
    'first_contentful_paint' | 'largest_contentful_paint' | 'total_blocking_time' | 'speed_index',
    Metric
  >;
  lighthouse_result: { audits: { metrics: { details: { items: [Record<string, number>] } } } };
};

async function measure(service: Running, site: FidelitySite): Promise<Measured> {
  site.takeConnections();
  const query = new URLSearchParams({ url: site.url, categories: 'performance' });
  const response = await fetch(`${service.url}/lighthouse?${query}`);
  if (response.status !== 200) throw new Error(`no report: ${await response.text()}`);
  const { scores, metrics, lighthouse_result } = (await response.json()) as Result;
  const [observed] = lighthouse_result.audits.metrics.details.items;
  return {
    score: scores.performance,
    FCP: metrics.first_contentful_paint.value,
    LCP: metrics.largest_contentful_paint.value,
    TBT: metrics.total_blocking_time.value,
    SI: metrics.speed_index.value,
    'observed FCP': observed.observedFirstContentfulPaint ?? Number.NaN,
    'observed LCP': observed.observedLargestContentfulPaint ?? Number.NaN,
    'observed load': observed.observedLoad ?? Number.NaN,
    connections: site.takeConnections(),
  };
}

/** Median, quartiles, and extremes. */
function describe(runs: readonly Measured[], name: string): string {
  const numbers = runs.map(run => run[name] ?? Number.NaN);
  const [low, median, high] = [0.25, 0.5, 0.75].map(share => Math.round(percentile(numbers, share)));
  return `${median} (${low}–${high}; ${Math.round(Math.min(...numbers))}–${Math.round(Math.max(...numbers))})`;
}

const medianOf = (runs: readonly Measured[], name: string) =>
  percentile(
    runs.map(run => run[name] ?? Number.NaN),
    0.5,
  );

function toRow(direct: readonly Measured[], proxied: readonly Measured[], name: string): string {
  const difference = Math.round(medianOf(proxied, name) - medianOf(direct, name));
  return `| ${name} | ${describe(direct, name)} | ${describe(proxied, name)} | ${difference > 0 ? '+' : ''}${difference} |`;
}

async function compare(protocol: Protocol): Promise<void> {
  const hooks: (() => Promise<void> | void)[] = [];
  const scope = { after: (hook: () => Promise<void> | void) => void hooks.unshift(hook) };
  try {
    const site = await startFidelitySite(protocol, delayMs);
    scope.after(() => site.close());
    // Only this benchmark trusts this one certificate; the service never passes the flag.
    const trust = `--ignore-certificate-errors-spki-list=${site.spki}`;
    const start = async (flags: readonly string[]): Promise<Running> => {
      const service = await startServiceProcess({ CHROME_PATH: await wrapBrowser(scope, flags), TARGETS: 'any' });
      scope.after(() => service.stop());
      return service;
    };
    const [proxied, direct] = [await start([trust]), await start([trust, '--no-proxy-server'])];
    // Warms up both services: cold files would distort the first audit.
    for (const service of [proxied, direct]) await measure(service, site);

    const runs: { direct: Measured[]; proxied: Measured[] } = { direct: [], proxied: [] };
    for (let pair = 0; pair < pairs; pair += 1) {
      const order = pair % 2 === 0 ? (['direct', 'proxied'] as const) : (['proxied', 'direct'] as const);
      for (const side of order) runs[side].push(await measure(side === 'direct' ? direct : proxied, site));
      console.error(`  ${protocol}: pair ${pair + 1} of ${pairs}`);
    }
    console.log(`\n${protocol}, ${pairs} pairs, ${delayMs} ms before every answer: median (quartiles; extremes)\n`);
    console.log('| | without the proxy | with it | difference |\n|---|---|---|---|');
    for (const name of metricNames) console.log(toRow(runs.direct, runs.proxied, name));
  } finally {
    for (const hook of hooks) await hook();
  }
}

for (const protocol of ['HTTP/2', 'HTTP/1.1'] as const) await compare(protocol);
