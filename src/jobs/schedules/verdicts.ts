/**
 * What changed between two runs of a schedule. Less is said rather than more: only what a comparison of results says.
 */

import type { CompareKept, KeptWanted } from '../../analysis/stored/compare-kept.ts';
import { type ErrorCode, errorTable, faultOf } from '../../contract/errors.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { ChangeStatus } from '../../contract/stored/change-verdict.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import type { SqlDatabase } from '../../storage/database/sql.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import type { PageVerdict } from '../callbacks/to-body.ts';
import type { JobPage } from '../job.ts';
import { listPages } from '../sql/page-rows.ts';

/** Two stored results by the code of `/compare-results`. What cannot be compared says nothing. */
export const createCompareRuns =
  (compareKept: CompareKept, store: ResultStore, smallestEffects: KeptWanted['smallestEffects']): CompareRuns =>
  async (before, after, signal): Promise<ChangeStatus | undefined> => {
    const wanted = { before, after, url: null, strategy: null, source: null, smallestEffects };
    try {
      const bytes = await compareKept(store, wanted, signal);
      return (JSON.parse(new TextDecoder().decode(bytes)) as ResultsComparison).verdict.status;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof StoreFaultError) throw error;
      return undefined;
    }
  };

/** Undefined if two results cannot be held against each other, for instance because one was removed meanwhile. */
export type CompareRuns = (before: string, after: string, signal: AbortSignal) => Promise<ChangeStatus | undefined>;

export type RunChanges = {
  /** By position. */
  verdicts: ReadonlyMap<number, readonly PageVerdict[]>;
  /** Whether a page got better or worse, failed at last, or was measured again. */
  isChanged: boolean;
};

const readAtOnce = 200;

async function compareParts(
  compare: CompareRuns,
  before: JobPage,
  after: JobPage,
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

type Comparing = { database: SqlDatabase; compare: CompareRuns };

/** A page at both ends of the time between two runs. */
type Pair = { before: JobPage; after: JobPage };

/** Both jobs have the pages of the same schedule, in the same places. */
async function* toPairs(database: SqlDatabase, beforeId: string, afterId: string): AsyncGenerator<Pair> {
  for (let place = { after: -1, limit: readAtOnce }; ; ) {
    const pages = await listPages(database, afterId, place);
    const earlier = new Map((await listPages(database, beforeId, place)).map(page => [page.position, page]));
    for (const after of pages) {
      const before = earlier.get(after.position);
      if (before?.url === after.url && after.sameAs === null) yield { before, after };
    }
    const last = pages.at(-1);
    if (!last) return;
    place = { ...place, after: last.position };
  }
}

/** Whether the page itself failed; undefined if something else did, which says nothing of the page. */
const hasFailed = ({ state, outcome }: JobPage): boolean | undefined => {
  if (state === 'succeeded') return false;
  const code = outcome?.error?.code;
  return code !== undefined && Object.hasOwn(errorTable, code) && faultOf(code as ErrorCode) === 'page'
    ? true
    : undefined;
};

function isOtherFailure({ before, after }: Pair): boolean {
  const [failed, fails] = [hasFailed(before), hasFailed(after)];
  return failed !== undefined && fails !== undefined && failed !== fails;
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
