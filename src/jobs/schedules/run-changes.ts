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

export type RunChanges = {
  /** Verdicts by the position of the page. */
  verdicts: ReadonlyMap<number, readonly PageVerdict[]>;
  /** Whether a page improved, regressed, started to fail, or no longer fails. */
  isChanged: boolean;
};

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

type Comparing = { database: SqlDatabase; compare: CompareRuns };

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

function isOtherFailure({ before, after }: PagePair): boolean {
  const [failed, fails] = [hasFailed(before), hasFailed(after)];
  return failed !== undefined && fails !== undefined && failed !== fails;
}

/** A page that started to fail, or no longer fails. */
export type FailureChange = { page: PageRow; fails: boolean };

export async function listFailureChanges(
  database: SqlDatabase,
  beforeId: string,
  afterId: string,
): Promise<FailureChange[]> {
  const changes: FailureChange[] = [];
  for await (const pair of toPairs(database, beforeId, afterId))
    if (isOtherFailure(pair)) changes.push({ page: pair.after, fails: hasFailed(pair.after) === true });
  return changes;
}

/** @throws the signal's reason */
export async function compareJobs(
  { database, compare }: Comparing,
  beforeId: string,
  afterId: string,
  signal: AbortSignal,
): Promise<RunChanges> {
  const verdicts = new Map<number, readonly PageVerdict[]>();
  let isChanged = false;
  for await (const { before, after } of toPairs(database, beforeId, afterId)) {
    const found = await compareParts(compare, before, after, signal);
    if (found.length > 0) verdicts.set(after.position, found);
    isChanged ||=
      isOtherFailure({ before, after }) || found.some(({ status }) => status === 'better' || status === 'worse');
  }
  return { verdicts, isChanged };
}
