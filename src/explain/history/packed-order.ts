import { unpackSeries } from '../../storage/results/packed-series.ts';
import type { PackedSeries } from '../../storage/results/store.ts';
import type { HistoryOrder } from './to-history.ts';

/** As it comes to the thread. */
export type PackedHistoryOrder = Omit<HistoryOrder, 'series'> & { readonly series: PackedSeries };

export const unpackOrder = ({ series, ...order }: PackedHistoryOrder): HistoryOrder => ({
  ...order,
  series: unpackSeries(series),
});
