/** Names and values of the metrics of a history, as text. */
import type { History } from '../contract/stored/history.ts';
import { absent, counted, formatValue } from './numbers.ts';
import { nameOfMetric } from './words.ts';

export type HistoryMetric = History['metric'];

export const sayNoPoints = ({ without_value: without, metric }: History): string =>
  without === 0
    ? 'No result of this page is stored.'
    : `${counted(without, 'result')} of this page ${without === 1 ? 'is' : 'are'} stored, but without ${nameOfMetric(metric)}.`;

export const sayHistoryValue = (value: number | null, unit: History['unit']): string => {
  if (value === null) return absent;
  return unit === 'point' ? `${Number(value.toFixed(1))}` : formatValue(value, unit);
};
