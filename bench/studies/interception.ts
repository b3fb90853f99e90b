/**
 * `npm run bench:interception -- --pairs 9` tests whether a page measures the same when each request is paused and its
 * document and stylesheets are fulfilled by the interception. Four pages, pairs of loads with and without, in random
 * order within each pair.
 */
import { parseArgs } from 'node:util';
import type { LoadVariant } from '../../src/contract/experiments/load-variant.ts';
import { toInterception } from '../../src/contract/experiments/load-variant.ts';
import type { Recipe } from '../../src/contract/experiments/request.ts';
import type { ReadPage } from '../../src/measure/lighthouse/read-page.ts';
import { createOwnPool } from '../../test/support/audits/create-own-pool.ts';
import { usualAudits } from '../../test/support/audits/quick-audits.ts';
import { percentile } from '../measure.ts';
import { type LoadValues, readLoadValues, sayValue, type ValueName, valueNames } from './load-values.ts';
import { startStudyPages } from './study-pages.ts';

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '9' } } });

const fonts: Recipe = { name: 'font-display', url: null, value: null, find: null, replace: null };
const unchanged = { block: [], replace: [], headers: {}, recipes: [], throttling: null } as const;
const variant: LoadVariant = {
  ...unchanged,
  throttlingMethod: 'simulate',
  intercept: toInterception([{ ...unchanged, headers: { 'x-any': '1' }, recipes: [fonts] }]),
};

const readPage: ReadPage<{ values: LoadValues }> = async bytes => {
  const read = readLoadValues(JSON.parse(Buffer.from(bytes).toString()));
  if (!read) throw new Error('Lighthouse gave no score');
  return { values: read };
};

const pool = createOwnPool(usualAudits);
const site = await startStudyPages();

async function load(url: string, isIntercepted: boolean): Promise<LoadValues> {
  const audit = {
    url,
    strategy: 'mobile',
    categories: ['performance'],
    profile: 'lighthouse',
    locale: 'en-US',
  } as const;
  const settings = isIntercepted ? { ...audit, variant } : audit;
  const { value } = await pool.audit(settings, readPage, new AbortController().signal);
  return value.values;
}

async function measurePair(url: string): Promise<{ on: LoadValues; off: LoadValues }> {
  const isFirst = Math.random() < 0.5;
  const first = await load(url, isFirst);
  const second = await load(url, !isFirst);
  return isFirst ? { on: first, off: second } : { on: second, off: first };
}

try {
  for (const { name, url } of site.pages) {
    const pairs: { on: LoadValues; off: LoadValues }[] = [];
    while (pairs.length < Number(values.pairs)) pairs.push(await measurePair(url));
    const medianOf = (value: ValueName) =>
      percentile(pairs.map(({ on, off }) => on[value] - off[value]).filter(Number.isFinite), 0.5);
    const differences = valueNames.map(value => `${value} ${sayValue(value, medianOf(value))}`).join(', ');
    console.log(`${name}: interception minus none, median of ${pairs.length} pairs: ${differences}`);
  }
} finally {
  await pool.close(0);
  await site.close();
}
