import type { FastifyReply } from 'fastify';
import type { PlacedItem } from '../../analysis/analyse-batch.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { noTotals, noteItem, type Totals, toBatchJson, toItemJson } from './batch-items.ts';
import { withHeartbeats } from './heartbeat.ts';
import type { HeldParts, Holder } from './held-parts.ts';
import { type JsonPart, joinParts, mergeBytes, type PartSource } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

/** The answer of a batch, written while its entries come in: no more is held than is under way. */

export const ndjson = 'application/x-ndjson';

const endOfLine = Buffer.from('\n');

/** A line for each position as its entry ends, and at last one with the totals: without it the answer was cut off. */
async function* toLines(reply: FastifyReply, items: AsyncIterable<PlacedItem>): AsyncGenerator<JsonPart> {
  const totals = noTotals();
  // Sends the headers: the first entry may take a while.
  yield Buffer.alloc(0);
  for await (const placed of items) {
    noteItem(reply, placed, totals);
    const json = toItemJson(placed.item);
    for (const index of placed.indexes) yield* mergeBytes([...joinParts(toJson({ index }), json), endOfLine]);
  }
  yield* mergeBytes([toJson(totals), endOfLine]);
}

/** @param items as they end: each is a line of its own */
export const sendBatchLines = (reply: FastifyReply, items: AsyncIterable<PlacedItem>): FastifyReply =>
  streamParts(reply, withHeartbeats(toLines(reply, items), reply.server.heartbeatMs), ndjson);

/** What stands in each position of the list. A URL given twice is held until its other positions come. */
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

/** @param items in the order asked. @param holder for what has several positions */
export function sendBatch(reply: FastifyReply, items: AsyncIterable<PlacedItem>, holder: Holder): FastifyReply {
  const totals = noTotals();
  return streamParts(
    reply,
    withHeartbeats(toBatchJson(inOrder(reply, items, holder, totals), totals), reply.server.heartbeatMs),
    'application/json',
  );
}
