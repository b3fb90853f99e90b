/**
 * `npm run bench:sample` measures every page of one site, and replays 19 planted sites with the spread of its pages: how
 * far the median score of 3, 5 and 10 pages of each template is from that of all pages. It takes about two minutes.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sampleOf, toRouteTemplates } from '../../src/contract/route-templates.ts';
import { startServiceProcess } from '../processes.ts';

/** Templates of the site: bytes of the picture and time of the script of its lightest page, and what its pages add. */
const kinds = [
  { path: 'article', kilobytes: 20, scriptMs: 10, more: { kilobytes: 30, scriptMs: 5 } },
  { path: 'product', kilobytes: 250, scriptMs: 60, more: { kilobytes: 120, scriptMs: 15 } },
  { path: 'gallery', kilobytes: 900, scriptMs: 20, more: { kilobytes: 250, scriptMs: 5 } },
  { path: 'search', kilobytes: 60, scriptMs: 150, more: { kilobytes: 20, scriptMs: 35 } },
  { path: 'account', kilobytes: 10, scriptMs: 260, more: { kilobytes: 10, scriptMs: 60 } },
] as const;
const pagesOfKind = 6;
const samples = [3, 5, 10] as const;

const pageOf = (kilobytes: number, scriptMs: number) => `<!doctype html><html lang="en"><title>Page</title>
<meta name="viewport" content="width=device-width"><h1>Page</h1><img src="/picture?kilobytes=${kilobytes}" width="360" height="300" alt="">
<script>const until = performance.now() + ${scriptMs}; while (performance.now() < until);</script>`;

/** An SVG picture is as large as its comment. */
const pictureOf = (kilobytes: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 6 5"><rect width="6" height="5" fill="teal"/><!--${'x'.repeat(kilobytes * 1024)}--></svg>`;

async function startPlantedSite() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://site');
    const [, path, number] = /^\/(\w+)\/(\d+)$/.exec(pathname) ?? [];
    const kind = kinds.find(one => one.path === path);
    const at = Number(number) - 1000;
    if (kind)
      return response
        .setHeader('content-type', 'text/html')
        .end(pageOf(kind.kilobytes + at * kind.more.kilobytes, kind.scriptMs + at * kind.more.scriptMs));
    if (pathname === '/picture')
      return response.setHeader('content-type', 'image/svg+xml').end(pictureOf(Number(searchParams.get('kilobytes'))));
    return response.writeHead(404).end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

type Scores = ReadonlyMap<string, number>;

async function measureSite(): Promise<Scores> {
  const site = await startPlantedSite();
  const service = await startServiceProcess();
  const scores = new Map<string, number>();
  for (const { path } of kinds)
    for (let at = 0; at < pagesOfKind; at += 1) {
      const url = `${site.url}/${path}/${1000 + at}`;
      const query = new URLSearchParams({ url, categories: 'performance' });
      const answer = (await (await fetch(`${service.url}/lighthouse?${query}`)).json()) as {
        scores?: { performance: number | null };
      };
      const score = answer.scores?.performance;
      if (typeof score === 'number') scores.set(url, score);
      console.error(`  ${path} ${at + 1}/${pagesOfKind}: ${score}`);
    }
  await service.stop();
  site.close();
  return scores;
}

/** Median of values, each of which stands for a number of pages. */
function weightedMedian(values: readonly { score: number; weight: number }[]): number {
  const sorted = values.toSorted((a, b) => a.score - b.score);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let below = 0;
  for (const { score, weight } of sorted) {
    below += weight;
    if (below >= half) return score;
  }
  return Number.NaN;
}

const medianOf = (scores: readonly number[]) => weightedMedian(scores.map(score => ({ score, weight: 1 })));

/**
 * Returns the distance of the sample's median from that of all pages: of the site, and of each template.
 * @param isByShare as many pages in all, but each template has its share of the site, and at least one
 */
function compareSample(scores: Scores, inSample: number, isByShare = false) {
  const scoreOf = (url: string) => scores.get(url) ?? Number.NaN;
  const found = toRouteTemplates([...scores.keys()]);
  const countOf = (pages: number) =>
    isByShare ? Math.max(1, Math.round((inSample * found.length * pages) / scores.size)) : inSample;
  const templates = found.map(template => ({
    all: template.urls.map(scoreOf),
    sample: sampleOf(template, countOf(template.urls.length)).map(scoreOf),
  }));
  const sampled = templates.flatMap(({ all, sample }) =>
    sample.map(score => ({ score, weight: all.length / sample.length })),
  );
  return {
    measured: sampled.length,
    site: Math.abs(weightedMedian(sampled) - medianOf([...scores.values()])),
    templates: templates.map(({ all, sample }) => Math.abs(medianOf(sample) - medianOf(all))),
  };
}

/** A generator with a fixed seed (mulberry32), so that a study can be repeated. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plants a site whose pages differ from the median of their template as measured pages do. */
function plantScores(seed: number, spread: readonly number[]): Scores {
  const random = createRandom(seed);
  const scores = new Map<string, number>();
  const count = 3 + Math.floor(random() * 10);
  for (let kind = 0; kind < count; kind += 1) {
    const middle = 30 + random() * 65;
    const pages = 5 + Math.floor(random() ** 3 * 300);
    for (let at = 0; at < pages; at += 1) {
      const away = spread[Math.floor(random() * spread.length)] ?? 0;
      const url = `https://site-${seed}.example/kind-${String.fromCharCode(97 + kind)}/${1000 + at}`;
      scores.set(url, Math.min(100, Math.max(0, Math.round(middle + away))));
    }
  }
  return scores;
}

const measured = await measureSite();
const spread = toRouteTemplates([...measured.keys()]).flatMap(({ urls }) => {
  const scores = urls.map(url => measured.get(url) ?? Number.NaN);
  return scores.map(score => score - medianOf(scores));
});
const sites = [measured, ...Array.from({ length: 19 }, (_, at) => plantScores(at + 1, spread))];
const width = samples.map(() => '---|').join('');
console.log(`| Site | Pages | Templates | ${samples.map(count => `${count} of each: off by`).join(' | ')} |`);
console.log(`|---|---|---|${width}`);
const found = sites.map(scores => samples.map(inSample => compareSample(scores, inSample)));
for (const [at, scores] of sites.entries()) {
  const bySample = found[at] ?? [];
  const name = at === 0 ? 'measured in full' : `planted ${at}`;
  console.log(
    `| ${name} | ${scores.size} | ${bySample[0]?.templates.length} | ${bySample.map(({ site, measured: count }) => `${site} (${count} pages)`).join(' | ')} |`,
  );
}
for (const [at, inSample] of samples.entries()) {
  const ofSample = found.flatMap(bySample => bySample[at] ?? []);
  const templates = ofSample.flatMap(({ templates }) => templates);
  const within = (values: readonly number[]) => `${values.filter(off => off <= 3).length} of ${values.length}`;
  console.log(
    `${inSample} of each: ${within(ofSample.map(({ site }) => site))} sites and ${within(templates)} templates within 3 points`,
  );
}
const manySites = Array.from({ length: 1000 }, (_, at) => plantScores(1000 + at, spread));
for (const inSample of samples) {
  const [each, share] = [false, true].map(
    isByShare => manySites.filter(scores => compareSample(scores, inSample, isByShare).site <= 3).length,
  );
  console.log(`Of 1,000 planted sites, ${inSample} of each: ${each} within 3 points; as many, by share: ${share}`);
}
console.log(`Spread of pages around the median of their template: ${spread.toSorted((a, b) => a - b).join(' ')}`);
