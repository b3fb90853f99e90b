import { toHistoryCsv } from '../../explain/history/csv.ts';
import { type PackedHistoryOrder, toHistory, unpackOrder } from '../../explain/history/to-history.ts';

/** Returns the history of a page as the response body. Change points of 10,000 points take a few tenths of a second. */
export function writeHistory({ format, ...order }: PackedHistoryOrder & { format: 'json' | 'csv' }): Uint8Array {
  const history = toHistory(unpackOrder(order));
  return Buffer.from(format === 'csv' ? toHistoryCsv(history) : JSON.stringify(history));
}
