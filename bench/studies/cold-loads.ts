/** Compares loads of a page with and without a login that it ignores: the visit must be as cold as the first one. */
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { Result } from '../../src/contract/result/result.ts';
import { compareSamples } from '../../src/explain/statistics/compare-samples.ts';
import { defaultSmallestEffects } from '../../src/explain/statistics/smallest-effect.ts';
import { wrapBrowser } from '../../test/support/audits/wrapped-browser.ts';
import { percentile } from '../measure.ts';
import { type Running, startServiceProcess } from '../processes.ts';
import { type Seen, startColdSite } from './cold-site.ts';
import type { Lines } from './lines.ts';
import { type LoadValues, toLoadValues } from './load-values.ts';

/** Caches and connections of one load, from the browser's network log and trace. */
type Browsed = {
  protocols: string;
  /** Connections that were opened, and the time of each, in milliseconds. */
  connects: number[];
  bytes: number;
  fromCache: number;
  fromWorker: number;
  /** Scripts that were not compiled, because compiled code was stored. */
  compiled: number;
};

export type ColdLoad = { arm: 'without' | 'with'; values: LoadValues; seen: Seen; browsed: Browsed };

type Response = {
  url: string;
  protocol: string;
  fromDiskCache?: boolean;
  fromServiceWorker?: boolean;
  fromPrefetchCache?: boolean;
  timing?: { connectStart: number; connectEnd: number };
};
type NetworkEvent = { method: string; params: { response?: Response; encodedDataLength?: number } };
type TraceEvent = { name: string; args?: { data?: { cacheConsumeOptions?: string; consumedCacheSize?: number } } };

async function readJson<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  const magic = bytes.readUInt32LE(0);
  const text =
    magic === 0xfd2fb528 ? zstdDecompressSync(bytes) : (magic & 0xffff) === 0x8b1f ? gunzipSync(bytes) : bytes;
  return JSON.parse(String(text)) as T;
}

async function toBrowsed(url: string): Promise<Browsed> {
  const network = await readJson<NetworkEvent[]>(`${url}/network-log`);
  const trace = await readJson<{ traceEvents: TraceEvent[] }>(`${url}/trace`);
  const responses = network.flatMap(({ method, params }) =>
    method === 'Network.responseReceived' && params.response ? [params.response] : [],
  );
  const loaded = network.filter(({ method }) => method === 'Network.loadingFinished');
  return {
    protocols: [...new Set(responses.map(({ protocol }) => protocol))].sort().join(' '),
    connects: responses.flatMap(({ timing }) =>
      timing && timing.connectStart >= 0 ? [timing.connectEnd - timing.connectStart] : [],
    ),
    bytes: loaded.reduce((sum, { params }) => sum + (params.encodedDataLength ?? 0), 0),
    fromCache: responses.filter(one => one.fromDiskCache || one.fromPrefetchCache).length,
    fromWorker: responses.filter(one => one.fromServiceWorker).length,
    compiled: trace.traceEvents.filter(
      ({ name, args }) => /^v8\.(compile|produceCache)/.test(name) && (args?.data?.consumedCacheSize ?? 0) > 0,
    ).length,
  };
}

const toAccess = (url: string) => ({
  cookies: [{ name: 'given', value: 'a cookie' }],
  state: { origins: [{ origin: new URL(url).origin, localStorage: [{ name: 'given', value: 'a stored item' }] }] },
  login: {
    timeout: 30_000,
    steps: [
      { type: 'navigate', url: `${url}login` },
      { type: 'click', selectors: ['#in'] },
      { type: 'waitForElement', selectors: ['#done'] },
    ],
  },
  expect: { text: 'Thirty resources' },
});

type Site = Awaited<ReturnType<typeof startColdSite>>;

async function measure(service: Running, site: Site, arm: ColdLoad['arm']): Promise<ColdLoad> {
  const response = await fetch(`${service.url}/lighthouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ url: site.url, categories: ['performance'] },
      ...(arm === 'with' ? { access: toAccess(site.url) } : {}),
    }),
  });
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const result = (await response.json()) as Result & { id: string };
  const seen = site.take();
  return { arm, values: toLoadValues(result), seen, browsed: await toBrowsed(`${service.url}/results/${result.id}`) };
}

/** Measures pairs in turn, each in the other order than the one before. */
export async function measureCold(pairs: number, lines: Lines<ColdLoad>): Promise<void> {
  if (lines.all.length >= 2 * pairs) return;
  const hooks: (() => Promise<void> | void)[] = [];
  const scope = { after: (hook: () => Promise<void> | void) => void hooks.unshift(hook) };
  try {
    const site = await startColdSite();
    scope.after(() => site.close());
    // Only this study trusts this one certificate.
    const browser = await wrapBrowser(scope, [`--ignore-certificate-errors-spki-list=${site.spki}`]);
    const environment = { CHROME_PATH: browser, TARGETS: 'any', KEEP_ARTIFACTS: '100', LIGHTHOUSE_REPEATS: '0' };
    const service = await startServiceProcess(environment);
    scope.after(() => service.stop());
    for (const arm of ['without', 'with'] as const) await measure(service, site, arm);
    for (let pair = lines.all.length >> 1; pair < pairs; pair += 1) {
      const order = pair % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const);
      for (const arm of order) lines.add(await measure(service, site, arm));
      console.error(`  pair ${pair + 1} of ${pairs}`);
    }
  } finally {
    for (const hook of hooks) await hook();
  }
}

const rows: readonly (readonly [string, (load: ColdLoad) => string | number])[] = [
  ['requests', ({ seen }) => seen.requests.length],
  ['protocols', ({ browsed }) => browsed.protocols],
  ['connections', ({ seen }) => seen.connections],
  ['… that were open before', ({ seen }) => seen.open],
  ['… that continued a TLS session', ({ seen }) => seen.resumed],
  ['conditional requests', ({ seen }) => seen.conditional],
  ['answers from the HTTP cache', ({ browsed }) => browsed.fromCache],
  ['answers from a service worker', ({ browsed }) => browsed.fromWorker],
  ['scripts with stored compiled code', ({ browsed }) => browsed.compiled],
  ['caches, workers, worker in control', ({ seen }) => found(seen, ['stored', 'workers', 'controlled']).join(', ')],
  ['session cookie', ({ seen }) => found(seen, ['session']).join()],
  ['bytes', ({ browsed }) => browsed.bytes],
];

const found = ({ found }: Seen, names: readonly string[]) =>
  names.map(name => new URLSearchParams(found).get(name) ?? '?');

const counted = (values: readonly (string | number)[]): string => {
  const different = [...new Set(values)];
  return different
    .map(value => (different.length > 1 ? `${value} (${values.filter(v => v === value).length}×)` : value))
    .join(', ');
};

export function toColdTable(all: readonly ColdLoad[]): string {
  const [without, login] = (['without', 'with'] as const).map(arm => all.filter(load => load.arm === arm));
  if (!without?.length || !login?.length) return 'no pairs';
  const isSame = (read: (load: ColdLoad) => unknown) =>
    new Set(all.map(load => JSON.stringify(read(load)))).size === 1 ? 'the same in each load' : '';
  const samples = [
    ['score', 'score', ({ values }: ColdLoad) => [values.score]],
    ['FCP, ms', 'time', ({ values }: ColdLoad) => [values.FCP]],
    ['LCP, ms', 'time', ({ values }: ColdLoad) => [values.LCP]],
    ['TBT, ms', 'time', ({ values }: ColdLoad) => [values.TBT]],
    ['Speed Index, ms', 'time', ({ values }: ColdLoad) => [values.SI]],
    ['time of a connection, ms', 'time', ({ browsed }: ColdLoad) => browsed.connects],
  ] as const;
  return [
    `| ${without.length} pairs | without an access | with an access | |`,
    '|---|---|---|---|',
    ...rows.map(
      ([name, read]) => `| ${name} | ${counted(without.map(read))} | ${counted(login.map(read))} | ${isSame(read)} |`,
    ),
    `| the list of requests | | | ${isSame(({ seen }) => [...seen.requests.map(one => one.replace(/session=\w+/, ''))].sort())} |`,
    ...samples.map(([name, effect, read]) => {
      const [before, after] = [without, login].map(loads => loads.flatMap(read));
      const direction = effect === 'score' ? 'higher_is_better' : 'lower_is_better';
      const smallestEffect = defaultSmallestEffects[effect];
      const { status, interval } = compareSamples(before ?? [], after ?? [], { direction, smallestEffect });
      const say = (values: readonly number[] = []) =>
        [0.5, 0.25, 0.75].map(share => percentile(values, share).toFixed(name.startsWith('time') ? 1 : 0));
      const [one, other] = [say(before), say(after)].map(([half, low, high]) => `${half} (${low}–${high})`);
      const between = interval?.map(value => value.toFixed(1)).join(' to ');
      return `| ${name}: median (quartiles) | ${one} | ${other} | difference ${between}: \`${status}\` |`;
    }),
  ].join('\n');
}
