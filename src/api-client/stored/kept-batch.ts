/** Lists that were measured before: the state that a tab stores, and the lookup of their stored results. */

import { pickOptions } from '../../contract/measuring-options.ts';
import type { Strategy } from '../../contract/names.ts';
import type { KeptFacts, KeptPage } from '../../contract/stored/kept.ts';
import { type Answer, type Column, columnsOf } from '../../presentation/answer.ts';
import { type FailureReason, wantsKey } from '../../presentation/errors-in-words.ts';
import { hasCategory } from '../../presentation/result-rows.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';
import { type PageRequest, paths } from '../page-request.ts';
import { type OnRow, type Row, slim } from '../run-batch.ts';
import { readKept, withMissing } from './kept-result.ts';

/**
 * Ids of the stored results of a row with its failed parts, or the reason for a missing result; null if nothing is
 * stored.
 */
export type RowMemory =
  | { readonly ids: readonly string[]; readonly failed: readonly Column[] }
  | { readonly failure: FailureReason }
  | null;

/** Rows in the order of the list, as plain data, because they are stored in the tab's history. */
export type BatchMemory = readonly RowMemory[];

export function rememberRow({ answer, failure, ids = [] }: Row): RowMemory {
  if (failure) return { failure };
  if (!answer) return null;
  // A comparison is stored under its own id.
  if (answer.kind === 'comparisons') return ids.length > 0 ? { ids, failed: [] } : null;
  const known = answer.columns.flatMap(({ part }) => (part.ok ? [part.result.id] : []));
  if (known.some(id => id === undefined)) return null;
  return { ids: known as string[], failed: answer.columns.filter(({ part }) => !part.ok) };
}

const isMemory = (value: unknown): value is BatchMemory => Array.isArray(value);

/**
 * Returns the stored state of this list, or undefined if this list has none.
 * @param state state of the history entry
 */
export function memoryIn(state: unknown, { urls }: PageRequest): BatchMemory | undefined {
  const memory = typeof state === 'object' && state !== null && 'batch' in state ? state.batch : undefined;
  return isMemory(memory) && memory.length === urls.length ? memory : undefined;
}

/**
 * Returns whether stored results can be found for a list. Lists of results contain labels, and profiles except those of
 * comparisons; requests with another option are not searched.
 */
const canBeFound = (request: PageRequest): boolean =>
  Object.keys(pickOptions('form', request)).every(
    name => name === 'label' || (name === 'profile' && request.backend !== 'compare'),
  );

/**
 * Returns whether a list entry may have the categories. It says nothing about agentic browsing, which `readBatch`
 * checks in the result.
 */
const hasCategories = ({ scores }: KeptFacts, { categories }: PageRequest): boolean =>
  categories.every(name => name === 'agentic-browsing' || typeof scores[name] === 'number');

const isAsked = (facts: KeptFacts, request: PageRequest): boolean => {
  if (facts.label !== (request.label ?? null)) return false;
  if (facts.source === 'compare') return true;
  const isProfile = facts.source === 'psi' || (facts.profile ?? 'lighthouse') === (request.profile ?? 'lighthouse');
  return isProfile && (facts.kind === 'failure' || hasCategories(facts, request));
};

const strategiesOf = ({ strategy }: PageRequest): readonly Strategy[] =>
  strategy === 'both' ? ['mobile', 'desktop'] : [strategy];

/** Number of results in which to search for one with the same settings. */
const newest = '10';

async function findId(
  url: string,
  strategy: Strategy,
  request: PageRequest,
  options: AskOptions,
): Promise<{ id: string | undefined } | { failure: FailureReason }> {
  const source = paths[request.backend];
  // The query does not select a kind, so the answer includes failures: a list displays them.
  const query = new URLSearchParams({ url, source, strategy, limit: newest });
  if (request.label !== undefined) query.set('label', request.label);
  const reply = await askForPage({ method: 'GET', path: `results?${query}`, lanes: [] }, () => {}, options);
  if (!reply.ok) return { failure: reply.failure };
  const { results } = (reply.body ?? {}) as Partial<KeptPage>;
  return { id: Array.isArray(results) ? results.find(facts => isAsked(facts, request))?.id : undefined };
}

/** Returns the newest results of a page that match the request; null unless there is one for each device. */
async function findRow(
  url: string,
  request: PageRequest,
  options: AskOptions,
): Promise<{ memory: RowMemory } | { failure: FailureReason }> {
  const ids: string[] = [];
  for (const strategy of strategiesOf(request)) {
    const found = await findId(url, strategy, request, options);
    if ('failure' in found) return found;
    if (found.id === undefined) return { memory: null };
    ids.push(found.id);
  }
  return { memory: { ids, failed: [] } };
}

/** Max number of parallel reads: a browser has six connections to an HTTP/1.1 service. */
const parallelReads = 6;

async function forEach<T>(items: readonly T[], act: (item: T, at: number) => Promise<void>): Promise<void> {
  const queued = items.entries();
  const runNext = async (): Promise<void> => {
    for (const [at, item] of queued) await act(item, at);
  };
  await Promise.all(Array.from({ length: parallelReads }, runNext));
}

const notKept = 'No result is stored';

/** Returns whether an answer has the categories: the list entry of a stored comparison does not contain them. */
const answers = (answer: Answer, { categories }: PageRequest): boolean =>
  columnsOf(answer).every(({ part }) => !part.ok || categories.every(name => hasCategory(part.result, name)));

/** Returns whether a result no longer exists; other failures may be temporary. */
const isGone = (failure: FailureReason): boolean =>
  failure.kind === 'problem' && ['result_not_found', 'results_not_kept'].includes(failure.problem.code);

async function readAnswer(
  url: string,
  { ids, failed }: { readonly ids: readonly string[]; readonly failed: readonly Column[] },
  request: PageRequest,
  options: AskOptions,
): Promise<{ answer: Answer | undefined } | { failure: FailureReason }> {
  if (ids.length === 0) return { answer: { kind: 'results', columns: failed } };
  const outcome = await readKept(ids, request, options);
  if (!outcome.ok) return isGone(outcome.failure) ? { answer: undefined } : outcome;
  const { answer } = outcome.body;
  if (!answers(answer, request)) return { answer: undefined };
  if (answer.kind === 'comparisons') return { answer: withMissing(answer, url, request) };
  return { answer: { ...answer, columns: [...answer.columns, ...failed] } };
}

/** @returns the row, or the failure that ends the reading */
async function readRow(
  row: Pick<Row, 'index' | 'url'>,
  memory: RowMemory,
  request: PageRequest,
  options: AskOptions,
): Promise<Row | { failure: FailureReason }> {
  const unmeasured: Row = { ...row, state: 'unmeasured', said: notKept };
  if (memory === null) return unmeasured;
  if ('failure' in memory) return { ...row, state: 'done', failure: memory.failure };
  const read = await readAnswer(row.url, memory, request, options);
  if ('failure' in read) return read;
  return read.answer ? { ...row, state: 'done', answer: slim(read.answer), ids: memory.ids, isKept: true } : unmeasured;
}

/**
 * Reads the stored results of a list without measuring.
 * @param memory undefined: they are looked for, row by row, so that the first ones of a long list are there at once
 * @param onRow called for each row, in any order
 * @returns the failure that ended the reading early, or `nothing` if no result was found; undefined otherwise
 * @throws only the signal's reason
 */
export async function readBatch(
  request: PageRequest,
  memory: BatchMemory | undefined,
  onRow: OnRow,
  options: AskOptions,
): Promise<FailureReason | 'nothing' | undefined> {
  if (!memory && !canBeFound(request)) return 'nothing';
  let end: FailureReason | undefined;
  // The whole list is measured if nothing is found, so until then no row is called unmeasured.
  let waiting: Row[] | undefined = memory ? undefined : [];
  const show = (row: Row): void => {
    if (waiting && row.state === 'unmeasured') return void waiting.push(row);
    for (const other of waiting ?? []) onRow(other);
    waiting = undefined;
    onRow(row);
  };
  await forEach(request.urls, async (url, index) => {
    if (end) return;
    const found = memory ? { memory: memory[index] ?? null } : await findRow(url, request, options);
    if ('failure' in found && wantsKey(found.failure)) end = found.failure;
    const read = await readRow({ index, url }, 'memory' in found ? found.memory : null, request, options);
    if ('state' in read) show(read);
    else end = read.failure;
  });
  return end ?? (waiting ? 'nothing' : undefined);
}
