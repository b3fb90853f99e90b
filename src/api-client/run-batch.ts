/** Measures a list of pages: rows fill in as results arrive. */
import { mostBatchUrls } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import { type Answer, columnsOf, type Part, toAnswer } from '../presentation/answer.ts';
import { type FailureReason, isStopping, wantsKey } from '../presentation/errors-in-words.ts';
import { type AskOptions, askForBatch, withJobKey } from './ask-service.ts';
import type { PageRequest } from './page-request.ts';
import { planBatch } from './plan.ts';
import { type LaneState, sayStep } from './progress.ts';
import { runPage } from './run-page.ts';
import { idsOf } from './stored/kept-result.ts';

export type Row = {
  /** Index in the list, from 0. */
  readonly index: number;
  readonly url: string;
  /** State of the page; `unmeasured` if the run has ended without its result. */
  readonly state: 'queued' | 'running' | 'done' | 'unmeasured';
  /** Progress text of a running row. */
  readonly said?: string;
  readonly answer?: Answer;
  /** Ids of the stored answer; empty if a part of it is not stored. */
  readonly ids?: readonly string[];
  /** Whether the page was measured before this run. */
  readonly isKept?: true;
  /** Reason for a missing result, if known. */
  readonly failure?: FailureReason;
};

/**
 * Number of parallel requests: the service has two slots for local audits, and more requests would only wait in its
 * queue.
 */
const parallelPages = 2;

export const startRows = (urls: readonly string[]): Row[] =>
  urls.map((url, index) => ({ index, url, state: 'queued' }));

export const hasEnded = ({ state }: Row): boolean => state === 'done' || state === 'unmeasured';

/** Returns the rows after the end of a run: those that have not ended become `unmeasured`. */
export const endRows = (rows: readonly Row[]): Row[] =>
  rows.map(row => (hasEnded(row) ? row : { index: row.index, url: row.url, state: 'unmeasured' }));

/** Returns pages of an ended run that have neither a result nor a reason. */
export const unmeasuredOf = (rows: readonly Row[]): Row[] => rows.filter(({ state }) => state === 'unmeasured');

/** Removes the whole Lighthouse result: those of a hundred pages would take a hundred megabytes. */
const withoutWhole = ({ lighthouse_result: _, ...result }: Result): Result => result;
const slimPart = (part: Part): Part => (part.ok ? { ok: true, result: withoutWhole(part.result) } : part);

export const slim = (answer: Answer): Answer =>
  answer.kind === 'results'
    ? { kind: 'results', columns: answer.columns.map(column => ({ ...column, part: slimPart(column.part) })) }
    : {
        kind: 'comparisons',
        pairings: answer.pairings.map(pairing => ({
          ...pairing,
          psi: slimPart(pairing.psi),
          lighthouse: slimPart(pairing.lighthouse),
        })),
      };

export const isFailedRow = ({ answer, failure }: Row): boolean =>
  failure !== undefined || (answer !== undefined && columnsOf(answer).every(({ part }) => !part.ok));

export type OnRow = (row: Row) => void;

const sayLanes = (lanes: readonly LaneState[]): string => {
  const said = new Set(lanes.filter(({ isReported }) => isReported).map(sayStep));
  return said.size > 0 ? [...said].join(' · ') : 'Sent';
};

/** Returns whether every other page would fail the same way: without the service, or without its key. */
const endsTheRun = (failure: FailureReason): boolean =>
  wantsKey(failure) || isStopping(failure) || failure.kind === 'unreachable';

type Work = { readonly request: PageRequest; readonly rows: readonly Row[] };

async function runSingly(work: Work, onRow: OnRow, options: AskOptions): Promise<FailureReason | undefined> {
  const { urls: _, ...wanted } = work.request;
  const queued = work.rows.values();
  let end: FailureReason | undefined;
  const runNext = async (): Promise<void> => {
    for (const { index, url } of queued) {
      if (end) return;
      onRow({ index, url, state: 'running', said: 'Sent' });
      const onLanes = (lanes: readonly LaneState[]) => onRow({ index, url, state: 'running', said: sayLanes(lanes) });
      const outcome = await runPage({ ...wanted, url, detailed: false }, onLanes, withJobKey(options, index));
      if (outcome.ok)
        onRow({ index, url, state: 'done', answer: slim(outcome.body.answer), ids: idsOf(outcome.body.bodies) });
      else if (endsTheRun(outcome.failure)) end = outcome.failure;
      else onRow({ index, url, state: 'done', failure: outcome.failure });
    }
  };
  await Promise.all(Array.from({ length: parallelPages }, runNext));
  return end;
}

async function runTogether(
  { request, rows }: Work,
  onRow: OnRow,
  options: AskOptions,
): Promise<FailureReason | undefined> {
  // A request accepts at most this many pages, so a longer list is sent in parts.
  for (let from = 0; from < rows.length; from += mostBatchUrls) {
    const part = { request, rows: rows.slice(from, from + mostBatchUrls) };
    const failure = await runPart(part, onRow, withJobKey(options, from));
    if (failure) return failure;
  }
  return undefined;
}

async function runPart({ request, rows }: Work, onRow: OnRow, options: AskOptions): Promise<FailureReason | undefined> {
  const call = planBatch({ ...request, urls: rows.map(({ url }) => url) });
  const [lane] = call.lanes;
  if (!lane) return undefined;
  for (const { index, url } of rows) onRow({ index, url, state: 'running', said: 'Sent' });
  let answered = 0;
  const onEntry = (at: number, entry: unknown) => {
    const row = rows[at];
    if (!row) return;
    const { index, url } = row;
    answered += 1;
    const answer = toAnswer(entry, lane);
    if (answer) onRow({ index, url, state: 'done', answer: slim(answer), ids: idsOf([entry]) });
    else onRow({ index, url, state: 'done', failure: { kind: 'unreadable', status: 200 } });
  };
  const reply = await askForBatch(call, onEntry, options);
  if (!reply.ok) return reply.failure;
  return answered < rows.length ? { kind: 'cut' } : undefined;
}

/**
 * Measures the pages of a list. The PSI backend accepts the whole list; the others one page at a time, two in parallel.
 * @param onRow called for each change of a row
 * @param rows rows to measure; all by default
 * @returns the failure that ended the run early; undefined if none did
 * @throws only the signal's reason
 */
export const runBatch = (
  request: PageRequest,
  onRow: OnRow,
  options: AskOptions,
  rows: readonly Row[] = startRows(request.urls),
): Promise<FailureReason | undefined> =>
  request.backend === 'remote'
    ? runTogether({ request, rows }, onRow, options)
    : runSingly({ request, rows }, onRow, options);
