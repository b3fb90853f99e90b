/** Plans the calls of the service that answer a request of the page. */
import type { Source } from '../contract/errors.ts';
import { pickOptions } from '../contract/measuring-options.ts';
import type { Strategy } from '../contract/names.ts';
import { areUsual, type Extras, type PageRequest, paths, type StrategyChoice, sourcesOf } from './page-request.ts';

/** One request to the service. Paths are relative, because the page may be served below a prefix. */
export type ServiceCall = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** Parts of the answer in display order. */
  readonly lanes: readonly Lane[];
};

/** One analyser with one strategy. */
export type Lane = { readonly source: Source; readonly strategy: Strategy };

const strategiesOf = (choice: StrategyChoice): readonly Strategy[] =>
  choice === 'both' ? ['mobile', 'desktop'] : [choice];

type PageChoices = Omit<PageRequest, 'urls'>;

const wantedCategories = ({ categories }: PageChoices) => (areUsual(categories) ? undefined : [...categories]);

/** Returns the extras that the backend has: `/psi` has no runs and settings. */
const toExtras = ({ backend, ...wanted }: PageChoices): Extras =>
  pickOptions(backend === 'remote' ? 'psi' : 'page', pickOptions('form', wanted));

const toPageCall = (url: string, wanted: PageChoices, strategy: StrategyChoice, detailed: boolean): ServiceCall => {
  const { backend, conditions } = wanted;
  const categories = wantedCategories(wanted);
  const lanes = strategiesOf(strategy).flatMap(name => sourcesOf(backend).map(source => ({ source, strategy: name })));
  if (conditions) {
    const body = { url, strategy, ...(categories ? { categories } : {}), ...toExtras(wanted), ...conditions };
    return { method: 'POST', path: paths[backend], body: JSON.stringify(body), lanes };
  }
  const query = new URLSearchParams({ url, strategy });
  if (categories) query.set('categories', categories.join(','));
  for (const [name, value] of Object.entries(toExtras(wanted))) query.set(name, value);
  if (detailed && backend === 'remote') query.set('detailed', 'true');
  return { method: 'GET', path: `${paths[backend]}?${query}`, lanes };
};

/**
 * Returns the calls for one page, which are made in parallel. Only `/psi` accepts both strategies in one call.
 * @param detailed whether to request the whole Lighthouse result; only `/psi` has this option
 */
export const planPage = (url: string, wanted: PageChoices, detailed: boolean): readonly ServiceCall[] =>
  wanted.backend === 'remote'
    ? [toPageCall(url, wanted, wanted.strategy, detailed)]
    : strategiesOf(wanted.strategy).map(strategy => toPageCall(url, wanted, strategy, detailed));

/** A link to a result as a file. */
export type ReportLink = {
  readonly address: string;
  readonly words: string;
  /** Strategy of the file, if there are several. */
  readonly strategy?: Strategy | undefined;
};

/** Returns links to the HTML reports of a page. Only `/psi` results are cached: local ones are measured again. */
export const planReports = (url: string, wanted: PageChoices): readonly ReportLink[] => {
  // A report that measures again has a query only, so it would show another page.
  const calls = wanted.conditions ? [] : planPage(url, wanted, false);
  return calls.map(({ path, lanes }) => {
    const again = wanted.backend === 'remote' ? '' : ' (measures again)';
    const strategy = calls.length > 1 ? lanes[0]?.strategy : undefined;
    return { address: path.replace('?', '/report?'), words: `HTML report${again}`, strategy };
  });
};

/** Returns the call for a whole list, which only the `psi` backend has. */
export function planBatch({ urls, strategy, ...wanted }: PageRequest): ServiceCall {
  const categories = wantedCategories({ strategy, ...wanted });
  return {
    method: 'POST',
    path: 'psi',
    body: JSON.stringify({
      urls,
      strategy,
      ...(categories ? { categories } : {}),
      ...toExtras({ strategy, ...wanted }),
    }),
    lanes: strategiesOf(strategy).map(name => ({ source: 'psi', strategy: name })),
  };
}
