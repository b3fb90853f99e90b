/** Reads the stored history of a page. */

import { categoryNames, type Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { History } from '../../contract/stored/history.ts';
import type { FieldPoint } from '../../presentation/charts/field-points.ts';
import { chartMetrics } from '../../presentation/charts/history-chart.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import type { HistoryMetric } from '../../presentation/history-metric.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';
import { readUrls } from '../read-urls.ts';

export type HistoryRequest = {
  readonly url: string;
  readonly source: 'psi' | 'lighthouse';
  readonly strategy: Strategy;
  /** Value to display; default: the performance score. */
  readonly metric?: HistoryMetric;
};

export const toHistoryAddress = ({ url, source, strategy, metric = 'performance' }: HistoryRequest): string =>
  `?${new URLSearchParams({ history: url, source, strategy, ...(metric === 'performance' ? {} : { metric }) })}`;

/** Returns the history request in a URL; undefined for any other URL. */
export function historyIn({ search }: { search: string }): HistoryRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  const [url] = readUrls(params.get('history') ?? '');
  if (url === undefined) return undefined;
  const isRemote = params.get('source') === 'psi';
  const strategy = params.get('strategy') === 'desktop' ? 'desktop' : 'mobile';
  const metric = chartMetrics.find(name => name === params.get('metric'));
  return { url, source: isRemote ? 'psi' : 'lighthouse', strategy, ...(metric ? { metric } : {}) };
}

/** Returns the request that measures the page again. */
export const toPageRequest = ({ url, source, strategy }: HistoryRequest): PageRequest => ({
  urls: [url],
  backend: source === 'psi' ? 'remote' : 'local',
  strategy,
  categories: categoryNames,
});

const read = (path: string, options: AskOptions) => askForPage({ method: 'GET', path, lanes: [] }, () => {}, options);

const isHistory = (body: unknown): body is History =>
  typeof body === 'object' && body !== null && 'points' in body && 'change_points' in body;

/**
 * Reads the history of one metric.
 * @throws only the signal's reason
 */
export async function readHistory(
  { url, source, strategy }: HistoryRequest,
  metric: History['metric'],
  options: AskOptions,
): Promise<{ ok: true; history: History } | { ok: false; failure: FailureReason }> {
  const reply = await read(`history?${new URLSearchParams({ url, source, strategy, metric })}`, options);
  if (!reply.ok) return reply;
  return isHistory(reply.body)
    ? { ok: true, history: reply.body }
    : { ok: false, failure: { kind: 'unreadable', status: 200 } };
}

/** Max number of field values: each covers 28 days, so more would add little. */
const mostFieldPoints = 12;

/** Returns field data of evenly spaced results of a PSI history. @throws only the signal's reason */
export async function readField({ source, points }: History, options: AskOptions): Promise<readonly FieldPoint[]> {
  const step = Math.max(1, (points.length - 1) / (mostFieldPoints - 1));
  const count = source === 'psi' ? Math.min(points.length, mostFieldPoints) : 0;
  const ids = Array.from({ length: count }, (_, at) => points[Math.round(at * step)]?.id ?? '');
  const replies = await Promise.all(ids.map(id => read(`results/${id}`, options)));
  return replies.flatMap(reply => {
    if (!reply.ok) return [];
    const { fetched_at: time, core_web_vitals: vitals } = reply.body as Partial<Result>;
    return time && vitals?.field ? [{ time, vitals: vitals.field }] : [];
  });
}
