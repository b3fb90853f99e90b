/** Reads the stored history of a page. */

import { categoryNames, type Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { History } from '../../contract/stored/history.ts';
import type { FieldPoint } from '../../presentation/charts/field-points.ts';
import { chartMetrics } from '../../presentation/charts/history-chart.ts';
import { sideOf } from '../../presentation/side-names.ts';
import type { HistoryMetric } from '../../presentation/words.ts';
import { addresses, get, type ReadBody, sourceIn, strategyIn } from '../ask-json.ts';
import type { AskOptions } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';
import { readUrls } from '../read-urls.ts';

export type HistoryRequest = {
  readonly url: string;
  readonly source: 'psi' | 'lighthouse';
  readonly strategy: Strategy;
  /** Value to display; default: the performance score. */
  readonly metric?: HistoryMetric;
  /** Name of the conditions of the loads, if there were any. */
  readonly conditions?: string | null | undefined;
};

export const toHistoryAddress = ({
  url,
  source,
  strategy,
  metric = 'performance',
  conditions,
}: HistoryRequest): string =>
  `?${new URLSearchParams({
    ...{ history: url, source, strategy },
    ...(metric === 'performance' ? {} : { metric }),
    ...(conditions ? { conditions } : {}),
  })}`;

/** Returns the history request in a URL; undefined for any other URL. */
export function historyIn({ search }: { search: string }): HistoryRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  const [url] = readUrls(params.get('history') ?? '');
  if (url === undefined) return undefined;
  const metric = chartMetrics.find(name => name === params.get('metric'));
  const conditions = params.get('conditions');
  return {
    ...{ url, source: sourceIn(params), strategy: strategyIn(params) },
    ...(metric ? { metric } : {}),
    ...(conditions ? { conditions } : {}),
  };
}

export const toPageRequest = ({ url, source, strategy }: HistoryRequest): PageRequest => ({
  urls: [url],
  backend: sideOf(source),
  strategy,
  categories: categoryNames,
});

/**
 * Reads the history of one metric.
 * @throws only the signal's reason
 */
export const readHistory = (
  { url, source, strategy, conditions }: HistoryRequest,
  metric: History['metric'],
  options: AskOptions,
): Promise<ReadBody<History>> =>
  get(
    addresses.history({ url, source, strategy, metric, ...(conditions ? { conditions } : {}) }),
    ['points', 'change_points'],
    options,
  );

/** Max number of field values: each covers 28 days, so more would add little. */
const mostFieldPoints = 12;

/** Returns field data of evenly spaced results of a PSI history. @throws only the signal's reason */
export async function readField(
  { source, points, field }: History,
  options: AskOptions,
): Promise<readonly FieldPoint[]> {
  const step = Math.max(1, (points.length - 1) / (mostFieldPoints - 1));
  const count = source === 'psi' && !field ? Math.min(points.length, mostFieldPoints) : 0;
  const ids = Array.from({ length: count }, (_, at) => points[Math.round(at * step)]?.id ?? '');
  const reads = await Promise.all(ids.map(id => get<Result>(addresses.result(id), ['fetched_at'], options)));
  return reads.flatMap(read => {
    if (!read.ok) return [];
    const { fetched_at: time, core_web_vitals: vitals } = read.body;
    return vitals?.field ? [{ time, vitals: vitals.field }] : [];
  });
}
