/** Custom metrics of a result for people. */
import { type CustomMetricName, isCustomMetricName } from '../contract/names.ts';
import type { CustomMetrics } from '../contract/result/metrics.ts';
import type { Result } from '../contract/result/result.ts';
import { formatMs } from './numbers.ts';
import { nameOfMetric } from './words.ts';

export type CustomRow = { readonly name: CustomMetricName; readonly label: string; readonly text: string };

export const customNamesOf = (metrics: Readonly<Record<string, unknown>> | undefined): CustomMetricName[] =>
  Object.keys(metrics ?? {}).filter(isCustomMetricName);

export const toCustomRows = (metrics: CustomMetrics | undefined): CustomRow[] =>
  customNamesOf(metrics).map(name => ({ name, label: nameOfMetric(name), text: formatMs(metrics?.[name] ?? 0) }));

/** Describes the conditions of the values: with simulated throttling, only some of them are throttled. */
export const sayCustomConditions = ({ environment: { throttling_method: method } }: Result): string =>
  method === 'simulate'
    ? 'Marks and measures are those of the load without throttling. Main-thread CPU time is multiplied by the CPU throttling.'
    : '';
