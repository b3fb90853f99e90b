/** A request of the page, and its form in the address bar. */
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Source } from '../contract/errors.ts';
import { type OptionAt, optionsAt } from '../contract/measuring-options.ts';
import { categoryNames, maxLabelCharacters, type RequestCategory, requestCategories } from '../contract/names.ts';
import { readUrls } from './read-urls.ts';

export const backends = ['remote', 'local', 'compare'] as const;
export type Backend = (typeof backends)[number];

/** Path of the operation that measures with a backend. It is also the source of the stored results. */
export const paths = { remote: 'psi', local: 'lighthouse', compare: 'compare' } as const;

export const sourcesOf = (backend: Backend): readonly Source[] =>
  backend === 'compare' ? ['psi', 'lighthouse'] : [paths[backend]];

export const strategyChoices = ['mobile', 'desktop', 'both'] as const;
export type StrategyChoice = (typeof strategyChoices)[number];

/** Rarely changed options as text; absent if they have their defaults. */
export type Extras = { readonly [Name in OptionAt<'form'>]?: string };

export type PageRequest = Extras & {
  /** URLs with their schemes, without duplicates. An entry with a space is not a URL and is not measured. */
  readonly urls: readonly string[];
  readonly backend: Backend;
  readonly strategy: StrategyChoice;
  /** Categories in the order of `requestCategories`; never empty. */
  readonly categories: readonly RequestCategory[];
  /** Conditions of the load, which no address contains: some are secret. */
  readonly conditions?: Partial<Conditions>;
};

const usualStrategy = 'mobile';

/**
 * Max length of a query: the service reads 16 KB of headers, and proxies less. A longer list is in the fragment, which
 * no server receives.
 */
const maxQueryCharacters = 4000;

const isOneOf = <T extends string>(names: readonly T[], text: string | null): text is T =>
  (names as readonly string[]).includes(text ?? '');

const readCategories = (given: readonly string[]): readonly RequestCategory[] => {
  const wanted = new Set(given.flatMap(entry => entry.split(',')).map(entry => entry.trim()));
  const known = requestCategories.filter(name => wanted.has(name));
  return known.length > 0 ? known : categoryNames;
};

/** Returns whether the categories are the service's default: every category with a score. */
export const areUsual = (categories: readonly RequestCategory[]): boolean =>
  categories.length === categoryNames.length && categoryNames.every(name => categories.includes(name));

const readExtras = (params: URLSearchParams): Extras =>
  Object.fromEntries(
    optionsAt('form').flatMap(([name, { choices }]) => {
      const given = (params.get(name) ?? '').trim().slice(0, maxLabelCharacters);
      const isUsual = given === '' || given === choices?.[0]?.[0];
      const isKnown = !choices || choices.some(([value]) => value === given);
      return !isUsual && isKnown ? [[name, given]] : [];
    }),
  );

/**
 * Reads the fields of the form or the query of a URL. Invalid values get their defaults.
 * @param usual the backend if none is named
 */
export function readRequest(params: URLSearchParams, usual: Backend): PageRequest {
  const backend = params.get('backend');
  const strategy = params.get('strategy');
  return {
    urls: readUrls(params.getAll('url').join('\n')),
    backend: isOneOf(backends, backend) ? backend : usual,
    strategy: isOneOf(strategyChoices, strategy) ? strategy : usualStrategy,
    categories: readCategories(params.getAll('categories')),
    ...readExtras(params),
  };
}

const toParams = ({ urls, backend, strategy, categories, conditions: _, ...extras }: PageRequest): string => {
  const params = new URLSearchParams(urls.map((url): [string, string] => ['url', url]));
  params.set('backend', backend);
  params.set('strategy', strategy);
  if (!areUsual(categories)) params.set('categories', categories.join(','));
  for (const [name, value] of Object.entries(extras)) params.set(name, value);
  // Commas are legal in a query, and a list of categories is easier to read with them.
  return params.toString().replaceAll('%2C', ',');
};

/** Returns the query of this request, or a fragment for a long list. */
export function toAddress(request: PageRequest): string {
  const params = toParams(request);
  return `${params.length <= maxQueryCharacters ? '?' : '#'}${params}`;
}

/** Reads the request in a URL; undefined if it names no page. */
export function fromAddress(
  { search, hash }: { search: string; hash: string },
  usual: Backend,
): PageRequest | undefined {
  const requests = [search, hash].map(part => readRequest(new URLSearchParams(part.slice(1)), usual));
  return requests.find(({ urls }) => urls.length > 0);
}
