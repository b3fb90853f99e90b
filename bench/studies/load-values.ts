/** Values that studies compare between loads: the score and its metrics. */
import type { Result } from '../../src/contract/result/result.ts';
import { percentile } from '../measure.ts';

export const valueNames = ['score', 'FCP', 'LCP', 'TBT', 'CLS', 'SI'] as const;
export type ValueName = (typeof valueNames)[number];
export type LoadValues = Readonly<Record<ValueName, number>>;

const metricIds = {
  FCP: 'first_contentful_paint',
  LCP: 'largest_contentful_paint',
  TBT: 'total_blocking_time',
  CLS: 'cumulative_layout_shift',
  SI: 'speed_index',
} as const;

const orNothing = (value: number | null | undefined): number => value ?? Number.NaN;

export const toLoadValues = ({ scores, metrics }: Pick<Result, 'scores' | 'metrics'>): LoadValues => ({
  score: orNothing(scores.performance),
  ...(Object.fromEntries(Object.entries(metricIds).map(([name, id]) => [name, orNothing(metrics[id].value)])) as Record<
    keyof typeof metricIds,
    number
  >),
});

/** Reads the values from a Lighthouse result, by Lighthouse's names. */
export const readLoadValues = (lhr: {
  categories: { performance?: { score: number | null } };
  audits: Record<string, { numericValue?: number }>;
}): LoadValues => ({
  score: Math.round(100 * orNothing(lhr.categories.performance?.score)),
  ...(Object.fromEntries(
    Object.entries(metricIds).map(([name, id]) => [name, orNothing(lhr.audits[id.replaceAll('_', '-')]?.numericValue)]),
  ) as Record<keyof typeof metricIds, number>),
});

export type Quartiles = { low: number; median: number; high: number };

export const toQuartiles = (loads: readonly LoadValues[], name: ValueName): Quartiles => {
  const values = loads.map(load => load[name]).filter(Number.isFinite);
  const [low = Number.NaN, median = Number.NaN, high = Number.NaN] = [0.25, 0.5, 0.75].map(share =>
    percentile(values, share),
  );
  return { low, median, high };
};

/** CLS is in hundredths, times are in hundreds of milliseconds. */
export const sayValue = (name: ValueName, value: number): string => value.toFixed(name === 'CLS' ? 3 : 0);

export const sayQuartiles = (name: ValueName, { low, median, high }: Quartiles): string =>
  `${sayValue(name, median)} (${sayValue(name, low)}–${sayValue(name, high)})`;

/** Requests one audit of a service. */
export async function measureAt(
  service: { url: string },
  url: string,
  query: Record<string, string> = {},
): Promise<Result> {
  const parameters = new URLSearchParams({ url, categories: 'performance', ...query });
  const response = await fetch(`${service.url}/lighthouse?${parameters}`);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const { lighthouse_result: _, ...result } = (await response.json()) as Result;
  return result;
}
