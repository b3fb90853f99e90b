import type { FastifyReply } from 'fastify';
import type { PlacedItem } from '../../analysis/analyse-batch.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { noTotals, noteItem, type Totals, toBatchJson, toItemJson } from './batch-items.ts';
import { withHeartbeats } from './heartbeat.ts';
import type { HeldParts, Holder } from './held-parts.ts';
import { type JsonPart, joinParts, mergeBytes, type PartSource } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

/** Sends the response of a batch while its entries arrive, so that only running entries are in memory. */

export const ndjson = 'application/x-ndjson';

const endOfLine = Buffer.from('\n');

/**
 * Yields a line for each position as its entry ends, and finally one with the totals. A response without the last line
 * was cut off.
 */
async function* toLines(reply: FastifyReply, items: AsyncIterable<PlacedItem>): AsyncGenerator<JsonPart> {
  const totals = noTotals();
  // The empty piece sends the headers, because the first entry may take a while.
  yield Buffer.alloc(0);
  for await (const placed of items) {
    noteItem(reply, placed, totals);
    const json = toItemJson(placed.item);
    for (const index of placed.indexes) yield* mergeBytes([...joinParts(toJson({ index }), json), endOfLine]);
  }
  yield* mergeBytes([toJson(totals), endOfLine]);
}

/** Sends a batch as JSON lines. @param items entries as they end */
export const sendBatchLines = (reply: FastifyReply, items: AsyncIterable<PlacedItem>): FastifyReply =>
  streamParts(reply, withHeartbeats(toLines(reply, items), reply.server.heartbeatMs), ndjson);

/** Yields the answers in the order of the list. The answer of a duplicate URL is stored until its last position. */
async function* inOrder(
  reply: FastifyReply,
  items: AsyncIterable<PlacedItem>,
  holder: Holder,
  totals: Totals,
): AsyncGenerator<PartSource> {
  const held = new Map<number, HeldParts>();
  let position = 0;
  function* takeHeld() {
    for (let read = held.get(position); read; read = held.get(position)) {
      held.delete(position);
      position += 1;
      yield read();
    }
  }
  for await (const placed of items) {
    yield* takeHeld();
    noteItem(reply, placed, totals);
    const json = toItemJson(placed.item);
    const [, ...later] = placed.indexes;
    if (later.length > 0) {
      const read = await holder.hold(json);
      for (const index of later) held.set(index, read);
    }
    position += 1;
    yield json;
  }
  yield* takeHeld();
}

/**
 * Sends a batch as JSON.
 * @param items entries in the order of the request
 * @param holder stores answers of duplicate URLs
 */
export function sendBatch(reply: FastifyReply, items: AsyncIterable<PlacedItem>, holder: Holder): FastifyReply {
  const totals = noTotals();
  return streamParts(
    reply,
    withHeartbeats(toBatchJson(inOrder(reply, items, holder, totals), totals), reply.server.heartbeatMs),
    'application/json',
  );
}
