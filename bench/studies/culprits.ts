/**
 * `npm run bench:culprits -- --pairs 10 --seconds 600` measures a page three times, plants a picture and a script of
 * random sizes, measures it three times again, and prints in how many verdicts the file that costs more comes first.
 * Three loads with each file alone measure what it costs. Each pair is a line of `culprits.ndjson`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import { toRandom } from '../../src/explain/statistics/random.ts';
import { medianOf, toSorted } from '../../src/presentation/values.ts';
import { type Files, html, png, script, serve, toPage } from '../../test/compare/laboratory/site.ts';
import { startLocalServer } from '../../test/support/sites/local-server.ts';
import { startServiceProcess } from '../processes.ts';
import { openLines } from './lines.ts';
import { measureAt } from './load-values.ts';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '600' },
    folder: { type: 'string', default: '/tmp/culprits' },
  },
});

type Line = {
  readonly pair: number;
  /** Median scores of loads with one file alone. */
  readonly alone: Readonly<Record<Planted, number>>;
  readonly status: string;
  readonly explanation: string;
};

const planted = ['hero.png', 'extra.js'] as const;
type Planted = (typeof planted)[number];

/** The same sizes in each call: 200 kB to 2 MB, and 50 to 500 ms of a CPU of 2025. */
function sizesOf(pair: number): { bytes: number; turns: number } {
  const random = toRandom([pair]);
  return { bytes: Math.round(200_000 * 10 ** random()), turns: Math.round(0.2e8 * 10 ** random()) };
}

const text = '<p>Boats for every water, made by hand, for lakes and rivers. </p>'.repeat(20);

function filesOf(pair: number, with_: readonly Planted[]): Files {
  const { bytes, turns } = sizesOf(pair);
  const work = `let sum = 0; for (let at = 0; at < ${turns}; at += 1) sum += Math.sqrt(at); window.sum = sum;`;
  const picture = '<img src="hero.png" width="380" height="380" alt="A boat">';
  const has = (name: Planted, markup: string) => (with_.includes(name) ? markup : '');
  const body = has('hero.png', picture) + text + has('extra.js', '<script src="extra.js" defer></script>');
  return {
    '/': html(toPage({ body })),
    '/hero.png': png(bytes),
    '/extra.js': script(`setTimeout(() => { ${work} }, 200);`),
  };
}

const endMs = Date.now() + 1000 * Number(values.seconds);
mkdirSync(values.folder, { recursive: true });
const lines = openLines<Line>(join(values.folder, 'culprits.ndjson'));
const hooks: (() => Promise<void> | void)[] = [];
let files: Files = {};
const site = await startLocalServer(
  { after: hook => void hooks.push(hook) },
  serve(() => files),
);
const service = await startServiceProcess({ DATA_DIR: join(values.folder, 'data'), TARGETS: 'any' });
const runs = 3;
const toMedian = (values: readonly number[]): number => medianOf(toSorted(values));

async function measurePair(pair: number): Promise<Line> {
  const url = `${site.url}/pair-${pair}-${process.pid}/`;
  const load = async (with_: readonly Planted[], label: string) => {
    files = filesOf(pair, with_);
    return (await measureAt(service, url, { label })).scores.performance ?? Number.NaN;
  };
  const [before, after] = [`before-${pair}-${process.pid}`, `after-${pair}-${process.pid}`];
  for (let run = 0; run < runs; run += 1) await load([], before);
  for (let run = 0; run < runs; run += 1) await load(planted, after);
  const query = new URLSearchParams({ before, after, url });
  const response = await fetch(`${service.url}/compare-results?${query}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { verdict } = (await response.json()) as ResultsComparison;
  const scores: Readonly<Record<Planted, number[]>> = { 'hero.png': [], 'extra.js': [] };
  for (let run = 0; run < runs; run += 1) for (const name of planted) scores[name].push(await load([name], 'alone'));
  const alone = { 'hero.png': toMedian(scores['hero.png']), 'extra.js': toMedian(scores['extra.js']) };
  return { pair, alone, status: verdict.status, explanation: verdict.explanation };
}

try {
  for (let pair = 0; pair < Number(values.pairs) && Date.now() < endMs; pair += 1) {
    if (lines.all.some(line => line.pair === pair)) continue;
    const line = await measurePair(pair);
    lines.add(line);
    console.error(JSON.stringify(line));
  }
} finally {
  await service.stop();
  for (const hook of hooks) await hook();
}

/** Points by which the files must differ: below it, either may be first. */
const leastApart = 3;
const decided = lines.all.filter(
  ({ alone, status }) => status === 'worse' && Math.abs(alone['hero.png'] - alone['extra.js']) >= leastApart,
);
const right = decided.filter(({ alone, explanation }) => {
  const [costlier, other] = alone['hero.png'] < alone['extra.js'] ? planted : planted.toReversed();
  const [first, second] = [costlier, other].map(name => explanation.indexOf(name ?? ''));
  return first !== undefined && first !== -1 && (second === -1 || first < (second ?? 0));
});
console.log(
  `${lines.all.length} pairs, ${decided.length} with a costlier file and a verdict; it is first in ${right.length}`,
);
