/** Reads stored results: their ids in a URL, and their display. */

import { categoryNames, type Strategy, strategies } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { type Answer, columnsOf, joinAnswers, type Part, toAnswer } from '../../presentation/answer.ts';
import type { Whole } from '../../presentation/full-result/read.ts';
import { categoriesOf } from '../../presentation/result-rows.ts';
import { sideOf } from '../../presentation/side-names.ts';
import { addresses, get, type ReadBody, unreadable } from '../ask-json.ts';
import { type AskOptions, askForPage } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';
import type { ReportLink } from '../plan.ts';
import type { PageAnswer } from '../run-page.ts';

/** Max number of ids, as many as a page can display. */
const maxIds = 4;
const parameter = 'result';

const partsOf = (body: unknown): unknown[] =>
  isObject(body) && 'mobile' in body && 'desktop' in body ? [body.mobile, body.desktop] : [body];

const hasFailed = (part: unknown): boolean => isObject(part) && ('error' in part || 'code' in part);

/** Returns the id of a result or a failure. That of a failure is in its Problem, unless it was read from the store. */
function idOf(part: unknown): string | undefined {
  if (!isObject(part)) return undefined;
  // If a comparison has no result, only its two failures are stored.
  if (hasFailed(part) && 'lighthouse' in part) return undefined;
  return typeof part.id === 'string' ? part.id : idOf(part.error);
}

/** Returns the stored parts of an answer; empty if one of its results is not stored, or if there is no result. */
const keptPartsOf = (bodies: readonly unknown[]): readonly { id: string; part: unknown }[] => {
  const parts = bodies.flatMap(partsOf).map(part => ({ part, id: idOf(part) }));
  const measured = parts.filter(({ part }) => !hasFailed(part));
  if (measured.length === 0 || measured.some(({ id }) => id === undefined)) return [];
  return parts.flatMap(({ part, id }) => (id === undefined ? [] : [{ part, id }]));
};

/** Returns the ids of the stored results and failures of an answer. */
export const idsOf = (bodies: readonly unknown[]): readonly string[] => keptPartsOf(bodies).map(({ id }) => id);

export const withIds = (address: string, ids: readonly string[]): string =>
  ids.length === 0 ? address : `${address}&${parameter}=${ids.join(',')}`;

export const isResultId = (text: string): boolean => /^[\da-f-]{36}$/.test(text);

/** Returns the ids in a URL; empty for a URL that requests a measurement. */
export function idsIn({ search, hash }: { search: string; hash: string }): readonly string[] {
  const [given = ''] = [search, hash].flatMap(part => new URLSearchParams(part.slice(1)).get(parameter) ?? []);
  return given.split(',').filter(isResultId).slice(0, maxIds);
}

/** Returns the id in a URL that names a result and no page, like links to results; undefined for any other URL. */
export function resultIn({ search }: { search: string }): string | undefined {
  const params = new URLSearchParams(search.slice(1));
  return params.has('url') ? undefined : (params.get(parameter)?.trim() ?? undefined);
}

/** Returns the request that would produce this answer; undefined for an answer without a page. */
export function toAsked(answer: Answer): PageRequest | undefined {
  const [first] = columnsOf(answer);
  if (!first) return undefined;
  const { part, source, strategy } = first;
  const measured = columnsOf(answer).flatMap(column => (column.part.ok ? [column.part.result] : []));
  const categories = categoriesOf(measured);
  return {
    urls: [part.ok ? part.result.url : part.url],
    backend: answer.kind === 'comparisons' ? 'compare' : sideOf(source),
    strategy,
    categories: categories.length > 0 ? categories : categoryNames,
  };
}

/** Names of the artifacts of a local audit that DevTools can open, as long as they are stored. */
const artifactWords = { trace: 'Trace', network_log: 'Network log' } as const;

/** Returns links to the files of one stored result. */
export const toFileLinks = ({ id, links }: Result): readonly ReportLink[] => [
  ...(id === undefined ? [] : [{ address: addresses.result(id, 'report'), words: 'HTML report' }]),
  ...(Object.keys(artifactWords) as (keyof typeof artifactWords)[]).flatMap(name => {
    const link = links?.[name];
    return link === undefined ? [] : [{ address: link.replace(/^\//, ''), words: artifactWords[name] }];
  }),
];

/**
 * Reads the whole Lighthouse result of a stored result.
 * @throws only the signal's reason
 */
export async function readWhole(id: string, options: AskOptions): Promise<ReadBody<Whole>> {
  const read = await get<Result>(addresses.fullResult(id), ['lighthouse_result'], options);
  if (!read.ok) return read;
  const { lighthouse_result: whole } = read.body;
  return isObject(whole) ? { ok: true, body: whole } : { ok: false, failure: unreadable };
}

/**
 * Reads stored results without their full data, without measuring.
 * @throws only the signal's reason
 */
export async function readKept(
  ids: readonly string[],
  request: PageRequest,
  options: AskOptions,
): Promise<ReadBody<PageAnswer>> {
  const lanes = [{ source: request.backend === 'local' ? 'lighthouse' : 'psi', strategy: 'mobile' }] as const;
  const replies = await Promise.all(
    ids.map(id => askForPage({ method: 'GET', path: addresses.result(id), lanes }, () => {}, options)),
  );
  const answers: Answer[] = [];
  for (const reply of replies) {
    const answer = reply.ok ? toAnswer(reply.body, lanes[0]) : undefined;
    const failure = reply.ok ? unreadable : reply.failure;
    if (!answer) return { ok: false, failure };
    answers.push(answer);
  }
  return { ok: true, body: { answer: joinAnswers(answers), bodies: replies.flatMap(reply => reply.body ?? []) } };
}

/**
 * Adds the requested parts that a stored answer lacks, because they were removed, or failed for reasons other than the
 * page.
 */
export function withMissing(answer: Answer, url: string, { backend, strategy }: Omit<PageRequest, 'urls'>): Answer {
  const known = columnsOf(answer).map(column => column.strategy);
  const missing = (strategy === 'both' ? strategies : []).filter(name => !known.includes(name));
  const part: Part = { ok: false, url, failure: { kind: 'absent' } };
  // The order is mobile, then desktop.
  const inOrder = <T extends { strategy: Strategy }>(parts: readonly T[]): readonly T[] =>
    parts.toSorted((a, b) => strategies.indexOf(a.strategy) - strategies.indexOf(b.strategy));
  if (answer.kind === 'comparisons') {
    const pairings = missing.map(name => ({ strategy: name, psi: part, lighthouse: part, comparison: null }));
    return { kind: 'comparisons', pairings: inOrder([...answer.pairings, ...pairings]) };
  }
  const source = backend === 'local' ? 'lighthouse' : 'psi';
  const columns = missing.map(name => ({ source, strategy: name, part }) as const);
  return { kind: 'results', columns: inOrder([...answer.columns, ...columns]) };
}
