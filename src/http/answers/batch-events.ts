import type { FastifyReply } from 'fastify';
import type { PlacedItem } from '../../analysis/analyse-batch.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import { answerAsEvents } from './answer-analysis.ts';
import { noTotals, noteItem, toBatchJson, toItemJson } from './batch-items.ts';
import type { HeldParts, Holder } from './held-parts.ts';

/**
 * Sends a batch as events: each entry as it ends, and finally all entries as in the JSON response. Until then, results
 * stay packed, in memory or in a file; the last event reads them one by one as the client reads.
 * @param toItems starts the batch, and yields its entries as they end
 */
export function sendBatchEvents(
  reply: FastifyReply,
  toItems: (signal: AbortSignal, onProgress: OnProgress) => AsyncIterable<PlacedItem>,
  total: number,
  holder: Holder,
): FastifyReply {
  return answerAsEvents(reply, async (signal, onProgress) => {
    const positions = new Map<number, HeldParts>();
    const totals = noTotals();
    for await (const placed of toItems(signal, onProgress)) {
      noteItem(reply, placed, totals);
      const read = await holder.hold(toItemJson(placed.item));
      for (const index of placed.indexes) {
        positions.set(index, read);
        onProgress({
          event: 'progress',
          source: 'psi',
          stage: 'finished',
          index,
          url: placed.item.url,
          done: positions.size,
          total,
        });
      }
    }
    async function* inOrder() {
      for (let position = 0; position < total; position += 1) yield positions.get(position)?.() ?? [];
    }
    return { json: toBatchJson(inOrder(), totals) };
  });
}
