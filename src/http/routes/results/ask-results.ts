/** Routes that only ask the store: pages with results, predictions, comparisons, and removals. */
import { type CompareKeptSources, createCompareKept } from '../../../analysis/stored/compare-stored.ts';
import { UnclearSideError } from '../../../analysis/stored/find-sides.ts';
import type { AskWhatIf } from '../../../analysis/stored/what-if.ts';
import { CompareResultsQuery, ResultsComparison } from '../../../contract/stored/change.ts';
import { Removed, RemoveQuery } from '../../../contract/stored/kept.ts';
import { Sites, SitesQuery } from '../../../contract/stored/sites.ts';
import { WhatIf } from '../../../contract/stored/what-if.ts';
import { toSites } from '../../../explain/history/to-sites.ts';
import { defaultSmallestEffects, type SmallestEffects } from '../../../explain/statistics/smallest-effect.ts';
import { toBuffer } from '../../../measure/lhr/json-bytes.ts';
import type { ReadQuery } from '../../input/read-input.ts';
import { missing, ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { Route, RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { jsonRoute } from '../json-route.ts';
import { askStore, findEntry, notFound, type StoreSources } from './stored.ts';

type AskSources = StoreSources & Pick<RouteParts, 'toClientId'>;

export const sitesRoute = ({ store }: StoreSources): Route =>
  jsonRoute(
    {
      method: 'GET',
      path: '/sites',
      tag: 'results',
      summary: 'List all pages with stored results',
      description:
        'One entry for each page, strategy and source: the latest score, recent scores, the latest failure and the latest change. The most recently measured page comes first.',
      query: SitesQuery,
      answer: Sites,
    },
    'read',
    async ({ query: { search, limit } }) => {
      // One page more than requested shows whether there are more.
      const wanted = { limit: limit + 1, ...(search ? { search } : {}) };
      return toSites(await askStore(store, stored => stored.sites(wanted)), limit);
    },
  );

export const whatIfRoute = ({ store, askWhatIf, toClientId }: AskSources & { askWhatIf: AskWhatIf }): Route =>
  jsonRoute(
    {
      method: 'GET',
      path: '/results/{id}/what-if',
      tag: 'results',
      summary: 'Predict the score of a stored load after a change',
      description:
        'Predicts the score without each third party and heavy script, on other devices and networks, and with all fixes together. Everything is simulated from the stored load: no page is measured.',
      answer: WhatIf,
    },
    'measurement',
    async ({ id, request, reply }) => {
      const caller = toCaller(toClientId, request, reply);
      const entry = await findEntry(store, id);
      return askStore(store, stored => askWhatIf(stored, entry, caller));
    },
  );

type Sought = ReadQuery<typeof CompareResultsQuery>;

const toSmallestEffects = ({ min_effect_points, min_effect_percent, min_effect_ms }: Sought): SmallestEffects => ({
  ...defaultSmallestEffects,
  score: { absolute: min_effect_points },
  time: { absolute: min_effect_ms, share: min_effect_percent / 100 },
});

/** Checks that both sides are given: an empty id or label counts as missing. @throws ValidationFailure */
function assertSides({ before, after }: Sought): void {
  const empty = Object.entries({ before, after }).filter(([, side]) => !side);
  if (empty.length > 0) throw new ValidationFailure(empty.map(([name]) => missing(['query', name])));
}

/** Converts an unclear side into a validation fault of the query. */
const toValidation = (error: unknown): never => {
  if (!(error instanceof UnclearSideError)) throw error;
  throw new ValidationFailure([valueError(error.message)(['query', error.parameter])]);
};

export const compareResultsRoute = ({ store, toClientId, ...sources }: AskSources & CompareKeptSources): Route => {
  const compareKept = createCompareKept(sources);
  return jsonRoute(
    {
      method: 'GET',
      path: '/compare-results',
      tag: 'results',
      summary: 'Compare two results or labels',
      description:
        'Scores and metrics with the interval of their difference, changed audits, added and removed requests, conditions that differ, and a verdict: better, worse, no difference, or undecided.',
      query: CompareResultsQuery,
      answer: ResultsComparison,
    },
    'measurement',
    async ({ query, request, reply }) => {
      assertSides(query);
      const { before, after, url, strategy, source, builds: areBuilds, looks } = query;
      const caller = toCaller(toClientId, request, reply);
      const smallestEffects = toSmallestEffects(query);
      const order = { before, after, url, strategy, source, smallestEffects, areBuilds, looks };
      return toBuffer(await askStore(store, stored => compareKept(stored, order, caller).catch(toValidation)));
    },
  );
};

const removal = { method: 'DELETE', tag: 'results', answer: Removed } as const;

export const forgetResultRoute = ({ store }: StoreSources): Route =>
  jsonRoute(
    {
      ...removal,
      path: '/results/{id}',
      summary: 'Remove one stored result',
      description:
        'Removes a result, failure or comparison with its full data and artifacts, but not a copy in the cache.',
    },
    'action',
    async ({ id }) => {
      if (!(await askStore(store, stored => stored.forget(id)))) throw notFound();
      return { removed: 1 };
    },
  );

export const forgetPageRoute = ({ store }: StoreSources): Route =>
  jsonRoute(
    {
      ...removal,
      path: '/results',
      summary: 'Remove the results of a page',
      description: 'Removes all stored entries of one URL, and returns their number.',
      query: RemoveQuery,
    },
    'action',
    async ({ query: { url } }) => ({ removed: await askStore(store, stored => stored.forgetUrl(url)) }),
  );
