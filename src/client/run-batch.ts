/** A list of pages: rows that fill in as results arrive. */
import type { Report } from '../report/report.ts';
import { columnsOf, type Part, type Result, toResult } from './answer.ts';
import { type AskOptions, askForBatch } from './ask-service.ts';
import type { PageRequest } from './page-request.ts';
import { planBatch } from './plan.ts';
import { type LaneState, sayStep } from './progress.ts';
import { runPage } from './run-page.ts';
import { type Trouble, wantsKey } from './trouble.ts';

export type Row = {
  /** Place in the list as it was given. */
  readonly index: number;
  readonly url: string;
  /** `ended`: the run is over and this page has no result. */
  readonly state: 'waiting' | 'running' | 'done' | 'ended';
  /** How far it is, while it runs. */
  readonly said?: string;
  readonly result?: Result;
  /** Why it has no result, where that is known. */
  readonly trouble?: Trouble;
};

/** The service has two places for local audits: more at once would only wait there. */
const parallelPages = 2;

export const startRows = (urls: readonly string[]): Row[] =>
  urls.map((url, index) => ({ index, url, state: 'waiting' }));

export const hasEnded = ({ state }: Row): boolean => state === 'done' || state === 'ended';

/** Rows of a run that is over. */
export const endRows = (rows: readonly Row[]): Row[] =>
  rows.map(row => (hasEnded(row) ? row : { index: row.index, url: row.url, state: 'ended' }));

/** A hundred whole Lighthouse results are a hundred megabytes: a list keeps the Reports alone. */
const withoutWhole = ({ lighthouse_result: _, ...report }: Report): Report => report;
const slimPart = (part: Part): Part => (part.ok ? { ok: true, report: withoutWhole(part.report) } : part);

export const slim = (result: Result): Result =>
  result.kind === 'reports'
    ? { kind: 'reports', columns: result.columns.map(column => ({ ...column, part: slimPart(column.part) })) }
    : {
        kind: 'comparisons',
        pairings: result.pairings.map(pairing => ({
          ...pairing,
          psi: slimPart(pairing.psi),
          lighthouse: slimPart(pairing.lighthouse),
        })),
      };

export const isFailedRow = ({ result, trouble }: Row): boolean =>
  trouble !== undefined || (result !== undefined && columnsOf(result).every(({ part }) => !part.ok));

type OnRow = (row: Row) => void;

const sayLanes = (lanes: readonly LaneState[]): string => {
  const said = new Set(lanes.filter(({ isTold }) => isTold).map(sayStep));
  return said.size > 0 ? [...said].join(' · ') : 'Asked';
};

/** Without the service every other page would fail the same way, and without a key too. */
const endsTheRun = (trouble: Trouble): boolean => wantsKey(trouble) || trouble.kind === 'unreachable';

async function runSingly(request: PageRequest, onRow: OnRow, options: AskOptions): Promise<Trouble | undefined> {
  const { urls, ...wanted } = request;
  const waiting = urls.entries();
  let end: Trouble | undefined;
  const runNext = async (): Promise<void> => {
    for (const [index, url] of waiting) {
      if (end) return;
      onRow({ index, url, state: 'running', said: 'Asked' });
      const onLanes = (lanes: readonly LaneState[]) => onRow({ index, url, state: 'running', said: sayLanes(lanes) });
      const outcome = await runPage({ ...wanted, url, detailed: false }, onLanes, options);
      if (outcome.ok) onRow({ index, url, state: 'done', result: slim(outcome.result) });
      else if (endsTheRun(outcome.trouble)) end = outcome.trouble;
      else onRow({ index, url, state: 'done', trouble: outcome.trouble });
    }
  };
  await Promise.all(Array.from({ length: parallelPages }, runNext));
  return end;
}

async function runTogether(request: PageRequest, onRow: OnRow, options: AskOptions): Promise<Trouble | undefined> {
  const call = planBatch(request);
  const [lane] = call.lanes;
  if (!lane) return undefined;
  for (const [index, url] of request.urls.entries()) onRow({ index, url, state: 'running', said: 'Asked' });
  let answered = 0;
  const onEntry = (index: number, entry: unknown) => {
    const url = request.urls[index];
    if (url === undefined) return;
    answered += 1;
    const result = toResult(entry, lane);
    if (result) onRow({ index, url, state: 'done', result: slim(result) });
    else onRow({ index, url, state: 'done', trouble: { kind: 'unreadable', status: 200 } });
  };
  const reply = await askForBatch(call, onEntry, options);
  if (!reply.ok) return reply.trouble;
  return answered < request.urls.length ? { kind: 'cut' } : undefined;
}

/**
 * Measures every page of a list. The remote backend takes the list whole; the others one page at a time, two at once.
 * @param onRow told of each change of a row
 * @returns what ended the run before its time
 * @throws only the signal's reason
 */
export const runBatch = (request: PageRequest, onRow: OnRow, options: AskOptions): Promise<Trouble | undefined> =>
  request.backend === 'remote' ? runTogether(request, onRow, options) : runSingly(request, onRow, options);
