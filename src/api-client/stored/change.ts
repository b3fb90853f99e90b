/** Compares two stored results: the request, and its form in the address bar. */

import type { Source } from '../../contract/errors.ts';
import { categoryNames, type Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { KeptFacts, KeptPage } from '../../contract/stored/kept.ts';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import { sideOf } from '../../presentation/side-names.ts';
import { addresses, get } from '../ask-json.ts';
import type { AskOptions } from '../ask-service.ts';
import type { PageRequest } from '../page-request.ts';
import { readUrls } from '../read-urls.ts';
import { isResultId } from './kept-result.ts';

export type ChangeRequest = {
  /** Id of a result, or a label; empty if absent. If the other side is an id, empty means the previous result. */
  readonly before: string;
  readonly after: string;
  /** Page or strategy of a label that has several. */
  readonly url?: string;
  readonly strategy?: Strategy;
  readonly source?: Source;
};

/** The missing part of the request; `previous` if there is no earlier result. */
export type Missing = 'before' | 'after' | 'both' | 'previous';

export type ChangeOutcome =
  | { readonly kind: 'found'; readonly asked: ChangeRequest; readonly change: ResultsComparison }
  | { readonly kind: 'missing'; readonly missing: Missing }
  | { readonly kind: 'failed'; readonly failure: FailureReason };

const maxCharacters = 100;

/** Returns the URL of a comparison. Its parameter is `page`, because a URL with `url` requests a measurement. */
export const toChangeAddress = ({ before, after, url, strategy, source }: ChangeRequest): string =>
  `?${new URLSearchParams({
    before,
    after,
    ...(url === undefined ? {} : { page: url }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(source === undefined ? {} : { source }),
  })}`;

export function changeIn({ search }: { search: string }): ChangeRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  if (!params.has('before') && !params.has('after')) return undefined;
  const read = (name: string) => (params.get(name) ?? '').trim().slice(0, maxCharacters);
  const [url] = readUrls(params.get('page') ?? '');
  const strategy = (['mobile', 'desktop'] as const).find(name => name === params.get('strategy'));
  const source = (['psi', 'lighthouse'] as const).find(name => name === params.get('source'));
  return {
    before: read('before'),
    after: read('after'),
    ...(url === undefined ? {} : { url }),
    ...(strategy === undefined ? {} : { strategy }),
    ...(source === undefined ? {} : { source }),
  };
}

/** Returns the request that measures the page again; its page is empty if unknown. */
export const toMeasured = ({ url, strategy = 'mobile', source }: Partial<ChangeRequest>): PageRequest => ({
  urls: url === undefined ? [] : [url],
  backend: sideOf(source ?? 'lighthouse'),
  strategy,
  categories: categoryNames,
});

/** @throws only the signal's reason */
async function readChange(asked: ChangeRequest, options: AskOptions): Promise<ChangeOutcome> {
  const members = ['before', 'after', 'verdict'] as const;
  const read = await get<ResultsComparison>(addresses.comparison(asked), members, options);
  return read.ok ? { kind: 'found', asked, change: read.body } : { kind: 'failed', failure: read.failure };
}

const resultMembers = ['url', 'source', 'strategy', 'fetched_at'] as const;

/** The two results of a comparison with their whole Lighthouse results; absent if they cannot be read. */
export type ChangedSides = { readonly before?: Result; readonly after?: Result };

/** @throws only the signal's reason */
export async function readSides({ before, after }: ResultsComparison, options: AskOptions): Promise<ChangedSides> {
  const read = async ({ selected_id: id }: ResultsComparison['before']): Promise<Result | undefined> => {
    const full = await get<Result>(addresses.fullResult(id), [...resultMembers, 'lighthouse_result'], options);
    return full.ok ? full.body : undefined;
  };
  const [first, second] = await Promise.all([read(before), read(after)]);
  return { ...(first ? { before: first } : {}), ...(second ? { after: second } : {}) };
}

const readResults = (query: Parameters<typeof addresses.results>[0], options: AskOptions) =>
  get<KeptPage>(addresses.results({ ...query, kind: 'result' }), ['results'], options);

const mostChoices = 100;

/**
 * Returns stored results of a page to choose from, newest first; empty if they cannot be read.
 * @throws only the signal's reason
 */
export async function readChoices(
  { url, strategy, source }: Pick<ChangeRequest, 'url' | 'strategy' | 'source'>,
  options: AskOptions,
): Promise<readonly KeptFacts[]> {
  if (url === undefined) return [];
  const listed = await readResults({ url, strategy, source, limit: mostChoices }, options);
  return listed.ok ? listed.body.results : [];
}

const mostEarlier = 50;

/** Returns the previous result of the same page, device and source, with the same settings if there is one. */
export async function findPrevious(
  { id, url, source, strategy, fetched_at: time }: Result,
  options: AskOptions,
): Promise<{ id: string | undefined } | { failure: FailureReason }> {
  // The limit is one millisecond later, so that the list includes the result itself.
  const until = new Date(Date.parse(time) + 1).toISOString();
  const listed = await readResults({ url, source, strategy, until, limit: mostEarlier }, options);
  if (!listed.ok) return listed;
  const { results } = listed.body;
  const own = results.find(result => result.id === id);
  const earlier = results.filter(
    result => result.id !== id && result.id !== own?.group && (result.conditions ?? null) === (own?.conditions ?? null),
  );
  const alike = earlier.find(({ profile }) => profile === (own?.profile ?? null));
  return { id: (alike ?? earlier[0])?.id };
}

const missingIn = ({ before, after }: ChangeRequest): Missing | undefined => {
  if (before === '' && after === '') return 'both';
  if (after === '') return 'after';
  return before === '' ? 'before' : undefined;
};

/**
 * Requests the comparison. A single result is compared with the one before it.
 * @throws only the signal's reason
 */
export async function findChange(asked: ChangeRequest, options: AskOptions): Promise<ChangeOutcome> {
  const missing = missingIn(asked);
  if (missing === undefined) return readChange(asked, options);
  if (missing !== 'before' || !isResultId(asked.after)) return { kind: 'missing', missing };
  const known = await get<Result>(addresses.result(asked.after), resultMembers, options);
  if (!known.ok) return { kind: 'failed', failure: known.failure };
  const previous = await findPrevious({ ...known.body, id: asked.after }, options);
  if ('failure' in previous) return { kind: 'failed', failure: previous.failure };
  if (previous.id === undefined) return { kind: 'missing', missing: 'previous' };
  return readChange({ ...asked, before: previous.id }, options);
}
