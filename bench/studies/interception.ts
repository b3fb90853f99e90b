/**
 * `npm run bench:interception`: whether a page measures the same when each of its requests is paused, and its document
 * and stylesheets are served again. Four pages, loads with and without in pairs, in random order within each pair.
 * `npm run bench:interception -- --pairs 9`.
 */
import { parseArgs } from 'node:util';
import { toInterception } from '../../src/contract/experiments/interception.ts';
import type { LoadVariant, Recipe } from '../../src/contract/experiments/request.ts';
import type { ReadPage } from '../../src/measure/lighthouse/read-page.ts';
import { createOwnPool } from '../../test/support/audits/create-own-pool.ts';
import { usualAudits } from '../../test/support/audits/quick-audits.ts';
import { type LoadValues, readLoadValues } from './load-values.ts';
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

const toMedian = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

try {
  for (const { name, url } of site.pages) {
    const differences: Record<keyof LoadValues, number>[] = [];
    for (let pair = 0; pair < Number(values.pairs); pair += 1) {
      const isFirst = Math.random() < 0.5;
      const [first, second] = [await load(url, isFirst), await load(url, !isFirst)];
      const [on, off] = isFirst ? [first, second] : [second, first];
      const keys = Object.keys(on) as (keyof LoadValues)[];
      differences.push(
        Object.fromEntries(keys.map(key => [key, Number(on[key]) - Number(off[key])])) as Record<
          keyof LoadValues,
          number
        >,
      );
    }
    const keys = Object.keys(differences[0] ?? {}) as (keyof LoadValues)[];
    const medians = keys.map(key => `${key} ${toMedian(differences.map(pair => pair[key])).toFixed(1)}`);
    console.log(
      `${name}: with interception minus without, median of ${differences.length} pairs: ${medians.join(', ')}`,
    );
  }
} finally {
  await pool.close(0);
  await site.close();
}
