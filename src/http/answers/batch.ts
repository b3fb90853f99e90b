/**
 * The three forms of a batch's response: JSON, lines, and events. It is sent while its entries arrive, so that only
 * running entries are in memory.
 */
import type { FastifyReply } from 'fastify';
import type { BatchItem, PlacedItem } from '../../analysis/analyse-batch.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import type { UrlFault } from '../../measure/targets/page-url.ts';
import { giveBack } from '../access/admit.ts';
import { urlError } from '../input/validation-error.ts';
import { logFailure } from '../server/request-log.ts';
import { allFailed, outcomesOf, toFailureJson, toPageJson } from './answer.ts';
import { answerAsEvents } from './answer-analysis.ts';
import { withHeartbeats } from './heartbeat.ts';
import type { HeldParts, Holder } from './held-parts.ts';
import { type JsonPart, type JsonParts, joinParts, mergeBytes, type PartSource } from './json-parts.ts';
import { streamParts } from './send-parts.ts';

const toUrlFailure = ({ fault }: { fault: UrlFault }) =>
  new AnalysisError('invalid_url', `${urlError(fault)([]).msg}.`);

const toItemJson = (item: BatchItem): JsonParts =>
  'fault' in item ? [toFailureJson(item.url, toUrlFailure(item))] : toPageJson(item);

const hasFailed = (item: BatchItem): boolean => 'fault' in item || allFailed(outcomesOf(item)) !== undefined;

const failuresOf = (item: BatchItem): AnalysisError[] =>
  'fault' in item ? [toUrlFailure(item)] : outcomesOf(item).flatMap(outcome => (outcome.ok ? [] : [outcome.error]));

/** Counts of list positions by outcome, at the end of every form of the response. */
type Totals = { total: number; succeeded: number; failed: number };

const noTotals = (): Totals => ({ total: 0, succeeded: 0, failed: 0 });

/** Logs the failures of an entry, and counts its positions. */
function noteItem(reply: FastifyReply, { indexes, item }: PlacedItem, totals: Totals): void {
  for (const failure of failuresOf(item)) logFailure(reply, failure);
  // Inputs that are not URLs were not charged.
  if (!('fault' in item) && hasFailed(item))
    giveBack(
      reply.request,
      failuresOf(item).map(({ code }) => code),
      indexes.length,
    );
  totals.total += indexes.length;
  totals[hasFailed(item) ? 'failed' : 'succeeded'] += indexes.length;
}

/**
 * Serialises a batch as one object.
 * @param positions answers in the order of the list
 * @param totals final once all answers have been yielded
 */
async function* toBatchJson(positions: AsyncIterable<PartSource>, totals: Totals): AsyncGenerator<JsonPart> {
  yield Buffer.from('{"results":[');
  let isFirst = true;
  for await (const parts of positions) {
    if (!isFirst) yield Buffer.from(',');
    isFirst = false;
    yield* parts;
  }
  yield Buffer.from('],');
  yield toJson(totals).subarray(1);
}

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
