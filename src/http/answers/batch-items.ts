import type { FastifyReply } from 'fastify';
import type { BatchItem, PlacedItem } from '../../analysis/analyse-batch.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import type { UrlFault } from '../../measure/targets/page-url.ts';
import { giveBack } from '../access/admit.ts';
import { urlError } from '../input/validation-error.ts';
import { logFailure } from '../server/request-log.ts';
import { allFailed, outcomesOf, toFailureJson, toPageJson } from './answer.ts';
import type { JsonPart, JsonParts, PartSource } from './json-parts.ts';

/** Converts the entries of a batch to all three forms of the response. */

const toUrlFailure = ({ fault }: { fault: UrlFault }) =>
  new AnalysisError('invalid_url', `${urlError(fault)([]).msg}.`);

export const toItemJson = (item: BatchItem): JsonParts =>
  'fault' in item ? [toFailureJson(item.url, toUrlFailure(item))] : toPageJson(item);

const hasFailed = (item: BatchItem): boolean => 'fault' in item || allFailed(outcomesOf(item)) !== undefined;

const failuresOf = (item: BatchItem): AnalysisError[] =>
  'fault' in item ? [toUrlFailure(item)] : outcomesOf(item).flatMap(outcome => (outcome.ok ? [] : [outcome.error]));

/** Counts of list positions by outcome, at the end of every form of the response. */
export type Totals = { total: number; succeeded: number; failed: number };

export const noTotals = (): Totals => ({ total: 0, succeeded: 0, failed: 0 });

/** Logs the failures of an entry, and counts its positions. */
export function noteItem(reply: FastifyReply, { indexes, item }: PlacedItem, totals: Totals): void {
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
export async function* toBatchJson(positions: AsyncIterable<PartSource>, totals: Totals): AsyncGenerator<JsonPart> {
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
