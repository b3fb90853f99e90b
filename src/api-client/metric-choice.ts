/** Which findings are shown, as it stands in the address. */
import { isMetricChoice, type MetricChoice } from '../presentation/findings/metric-filter.ts';

const parameter = 'metric';

/** All, where the address says nothing. */
export function metricIn({ search, hash }: { search: string; hash: string }): MetricChoice {
  const [given = null] = [search, hash].flatMap(part => new URLSearchParams(part.slice(1)).get(parameter) ?? []);
  return isMetricChoice(given) ? given : 'all';
}

/** The same address with this choice. A request that is too long for a query stands in the fragment. */
export function withMetric(address: string, choice: MetricChoice): string {
  const url = new URL(address);
  const part = url.search === '' ? 'hash' : 'search';
  const params = new URLSearchParams(url[part].slice(1));
  if (choice === 'all') params.delete(parameter);
  else params.set(parameter, choice);
  url[part] = params.toString().replaceAll('%2C', ',');
  return url.href;
}
