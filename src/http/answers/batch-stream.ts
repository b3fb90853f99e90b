import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { BatchItem, PlacedItem } from '../analysis/analyse-batch.ts';
import type { OnProgress } from '../analysis/progress.ts';
import { AnalysisError } from '../errors.ts';
import { type JsonBytes, joinObjects, toJson, toList, toObject } from '../report/json-bytes.ts';
import type { UrlFault } from '../targets/page-url.ts';
import { type Answer, allFailed, outcomesOf, toFailureJson, toPageJson } from './answer.ts';
import { CallerLeft } from './caller.ts';
import { logFailure } from './request-log.ts';
import { urlError } from './validation-error.ts';

/** The answer of a batch, written while its entries come in: no more is held than is under way. */

export const ndjson = 'application/x-ndjson';

const hasFailed = (item: BatchItem): boolean => 'fault' in item || allFailed(outcomesOf(item)) !== undefined;

const toUrlFailure = ({ fault }: { fault: UrlFault }) =>
  new AnalysisError('invalid_url', `${urlError(fault)([]).msg}.`);

const toItemJson = (item: BatchItem): JsonBytes =>
  'fault' in item ? toFailureJson(item.url, toUrlFailure(item)) : toPageJson(item);

const failuresOf = (item: BatchItem): AnalysisError[] =>
  'fault' in item ? [toUrlFailure(item)] : outcomesOf(item).flatMap(outcome => (outcome.ok ? [] : [outcome.error]));

type Totals = { total: number; succeeded: number; failed: number };

/** A batch as one answer: a BatchReport, and every failure in it. @param onProgress told of every entry that has ended */
export async function toBatchAnswer(
  items: AsyncIterable<PlacedItem>,
  total: number,
  onProgress: OnProgress,
): Promise<Answer> {
  const entries: JsonBytes[] = [];
  const failures: AnalysisError[] = [];
  const totals: Totals = { total: 0, succeeded: 0, failed: 0 };
  for await (const { item } of items) {
    entries.push(toItemJson(item));
    failures.push(...failuresOf(item));
    totals.total += 1;
    totals[hasFailed(item) ? 'failed' : 'succeeded'] += 1;
    onProgress({ event: 'progress', source: 'psi', stage: 'finished', url: item.url, done: totals.total, total });
  }
  return { json: joinObjects(toObject({ results: toList(entries) }), toJson(totals)), failures };
}

/** The same entries, counted, and their failures logged. */
async function* note(
  reply: FastifyReply,
  items: AsyncIterable<PlacedItem>,
  totals: Totals,
): AsyncGenerator<PlacedItem> {
  for await (const placed of items) {
    const { item } = placed;
    for (const failure of failuresOf(item)) logFailure(reply, failure);
    totals.total += 1;
    totals[hasFailed(item) ? 'failed' : 'succeeded'] += 1;
    yield placed;
  }
}

const endOfLine = Buffer.from('\n');

/** A line for each entry as it ends, and at last one with the totals: without it the answer was cut off. */
async function* toLines(items: AsyncIterable<PlacedItem>, totals: Totals): AsyncGenerator<Buffer> {
  // Sends the headers: the first entry may take a while.
  yield Buffer.alloc(0);
  for await (const { index, item } of items) {
    yield Buffer.concat([joinObjects(toObject({ index: toJson(index) }), toItemJson(item)), endOfLine]);
  }
  yield Buffer.concat([toJson(totals), endOfLine]);
}

/** A BatchReport, written while it comes in. */
async function* toBatchReport(items: AsyncIterable<PlacedItem>, totals: Totals): AsyncGenerator<Buffer> {
  yield Buffer.from('{"results":[');
  for await (const { index, item } of items) {
    yield Buffer.concat([Buffer.from(index === 0 ? '' : ','), toItemJson(item)]);
  }
  yield Buffer.concat([Buffer.from('],'), toJson(totals).subarray(1)]);
}

/** Nobody reads on: that is no error of the stream. */
async function* untilCallerLeaves(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof CallerLeft)) throw error;
  }
}

/** @param asLines each entry on a line of its own, as it ends; else one BatchReport, in the order the entries come */
export function sendBatch(reply: FastifyReply, items: AsyncIterable<PlacedItem>, asLines: boolean): FastifyReply {
  const totals: Totals = { total: 0, succeeded: 0, failed: 0 };
  const noted = note(reply, items, totals);
  const bytes = asLines ? toLines(noted, totals) : toBatchReport(noted, totals);
  // One part ahead of the reader, no more.
  const stream = Readable.from(untilCallerLeaves(bytes), { objectMode: true, highWaterMark: 1 });
  return reply
    .code(200)
    .header('content-type', asLines ? ndjson : 'application/json')
    .send(stream);
}
