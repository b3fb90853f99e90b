/**
 * Finds changes between two runs of a schedule: verdicts of compared results, and pages that failed in only one run. If
 * in doubt, it reports no change.
 */

import type { CompareKept, KeptWanted } from '../../analysis/stored/compare-stored.ts';
import { type ErrorCode, errorTable, faultOf } from '../../contract/errors.ts';
import type { Problem } from '../../contract/problem.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { SqlDatabase } from '../../storage/database/sql.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { PageVerdict } from '../callbacks/to-body.ts';
import type { PageRow } from '../job.ts';
import { listPages } from '../statements.ts';

/** Compares two stored results with the code of `/compare-results`. Results that cannot be compared have no verdict. */
export const createCompareRuns =
  (compareKept: CompareKept, store: ResultStore, smallestEffects: KeptWanted['smallestEffects']): CompareRuns =>
  async (before, after, signal): Promise<ChangeStatus | undefined> => {
    const wanted = { before, after, url: null, strategy: null, source: null, smallestEffects };
    try {
      const bytes = await compareKept(store, wanted, { client: 'schedules', signal });
      return (JSON.parse(new TextDecoder().decode(bytes)) as ResultsComparison).verdict.status;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StoreFaultError) throw error;
      return undefined;
    }
  };

/** Returns undefined if two results cannot be compared, for instance because one was removed in the meantime. */
export type CompareRuns = (before: string, after: string, signal: AbortSignal) => Promise<ChangeStatus | undefined>;

export type PageVerdicts = ReadonlyMap<number, readonly PageVerdict[]>;

const readAtOnce = 200;

async function compareParts(
  compare: CompareRuns,
  before: PageRow,
  after: PageRow,
  signal: AbortSignal,
): Promise<PageVerdict[]> {
  const verdicts: PageVerdict[] = [];
  for (const { source, strategy, id } of after.outcome?.parts ?? []) {
    const earlier = before.outcome?.parts.find(part => part.source === source && part.strategy === strategy);
    if (id === null || !earlier?.id || earlier.id === id) continue;
    const status = await compare(earlier.id, id, signal);
    if (status !== undefined) verdicts.push({ source, strategy, status });
  }
  return verdicts;
}

/** Reads the pages of a job a part at a time. */
export async function* eachPage(database: SqlDatabase, jobId: string): AsyncGenerator<PageRow, undefined> {
  for (let after = -1; ; ) {
    const pages = await listPages(database, jobId, { after, limit: readAtOnce });
    yield* pages;
    const last = pages.at(-1);
    if (!last) return;
    after = last.position;
  }
}

/** The same page in two consecutive runs. */
type PagePair = { before: PageRow; after: PageRow };

/** Pairs the pages of two jobs of one schedule that have the same position and URL. Duplicates are skipped. */
async function* toPairs(database: SqlDatabase, beforeId: string, afterId: string): AsyncGenerator<PagePair> {
  const earlier = eachPage(database, beforeId);
  let { value: before } = await earlier.next();
  for await (const after of eachPage(database, afterId)) {
    while (before && before.position < after.position) ({ value: before } = await earlier.next());
    if (before?.position === after.position && before.url === after.url && after.sameAs === null)
      yield { before, after };
  }
}

/** Returns whether an error is the fault of the page. */
export const isOfPage = (error: Problem | null | undefined): boolean =>
  error !== null &&
  error !== undefined &&
  Object.hasOwn(errorTable, error.code) &&
  faultOf(error.code as ErrorCode) === 'page';

/** Returns whether the page itself failed; undefined after another fault, which shows nothing about the page. */
const hasFailed = ({ state, outcome }: PageRow): boolean | undefined => {
  if (state === 'succeeded') return false;
  return isOfPage(outcome?.error) ? true : undefined;
};

/** A page that started to fail, or no longer fails. */
export type FailureChange = { page: PageRow; fails: boolean };

/** Whether pages of a schedule failed when that was last known, by position, if its baseline does not show it. */
export type KnownFailures = Readonly<Record<number, boolean>>;

/**
 * Finds pages that started to fail, or no longer fail, since it was last known: an outage in between hides neither. A
 * page that was never measured does not start to fail.
 * @param isBaseline whether the next run will be compared with this one
 */
export async function findFailureChanges(
  database: SqlDatabase,
  { beforeId, afterId, isBaseline }: { beforeId: string; afterId: string; isBaseline: boolean },
  earlier: KnownFailures,
): Promise<{ changes: FailureChange[]; known: KnownFailures }> {
  const changes: FailureChange[] = [];
  const known: Record<number, boolean> = {};
  for await (const { before, after } of toPairs(database, beforeId, afterId)) {
    const [failed, fails] = [earlier[after.position] ?? hasFailed(before), hasFailed(after)];
    if (failed !== undefined && fails !== undefined && failed !== fails) changes.push({ page: after, fails });
    const last = fails ?? failed;
    if (last !== undefined && last !== hasFailed(isBaseline ? after : before)) known[after.position] = last;
  }
  return { changes, known };
}

/**
 * Compares the results of two runs.
 * @returns verdicts by the position of the page
 * @throws the signal's reason
 */
export async function compareJobs(
  { database, compare }: { database: SqlDatabase; compare: CompareRuns },
  beforeId: string,
  afterId: string,
  signal: AbortSignal,
): Promise<PageVerdicts> {
  const verdicts = new Map<number, readonly PageVerdict[]>();
  for await (const { before, after } of toPairs(database, beforeId, afterId)) {
    const found = await compareParts(compare, before, after, signal);
    if (found.length > 0) verdicts.set(after.position, found);
  }
  return verdicts;
}
