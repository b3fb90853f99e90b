/** The metric filter of the findings, and its form in the address bar. */
import { isMetricChoice, type MetricChoice } from '../presentation/findings/metric-filter.ts';

const parameter = 'metric';

/** Returns the filter in a URL; a URL without one shows all findings. */
export function metricIn({ search, hash }: { search: string; hash: string }): MetricChoice {
  const [given = null] = [search, hash].flatMap(part => new URLSearchParams(part.slice(1)).get(parameter) ?? []);
  return isMetricChoice(given) ? given : 'all';
}

/** Returns the same URL with this filter. A request that is too long for a query is in the fragment. */
export function withMetric(address: string, choice: MetricChoice): string {
  const url = new URL(address);
  const part = url.search === '' ? 'hash' : 'search';
  const params = new URLSearchParams(url[part].slice(1));
  if (choice === 'all') params.delete(parameter);
  else params.set(parameter, choice);
  url[part] = params.toString().replaceAll('%2C', ',');
  return url.href;
}
