/** What a person asks the page for, and the form it has in the address bar. */
import type { Category } from '../report/report.ts';
import { readUrls } from './read-urls.ts';

export const backends = ['remote', 'local', 'compare'] as const;
export type Backend = (typeof backends)[number];

export const strategyChoices = ['mobile', 'desktop', 'both'] as const;
export type StrategyChoice = (typeof strategyChoices)[number];

export const categoryNames = [
  'performance',
  'accessibility',
  'best-practices',
  'seo',
] as const satisfies readonly Category[];

export type PageRequest = {
  /** With their schemes, each once. */
  readonly urls: readonly string[];
  readonly backend: Backend;
  readonly strategy: StrategyChoice;
  /** In the order of `categoryNames`; never empty. */
  readonly categories: readonly Category[];
};

/** What the form says before anybody has touched it. */
export const defaults = { backend: 'remote', strategy: 'mobile' } as const;

/** The service reads 16 KB of headers, and others on the way less. A longer list goes where no server sees it. */
const maxQueryCharacters = 4000;

const isOneOf = <T extends string>(names: readonly T[], text: string | null): text is T =>
  (names as readonly string[]).includes(text ?? '');

const readCategories = (given: readonly string[]): readonly Category[] => {
  const wanted = new Set(given.flatMap(entry => entry.split(',')).map(entry => entry.trim()));
  const known = categoryNames.filter(name => wanted.has(name));
  return known.length > 0 ? known : categoryNames;
};

/** Reads what the form sends, or what an address holds. What is not understood has its default. */
export function readRequest(params: URLSearchParams): PageRequest {
  const backend = params.get('backend');
  const strategy = params.get('strategy');
  return {
    urls: readUrls(params.getAll('url').join('\n')),
    backend: isOneOf(backends, backend) ? backend : defaults.backend,
    strategy: isOneOf(strategyChoices, strategy) ? strategy : defaults.strategy,
    categories: readCategories(params.getAll('categories')),
  };
}

const toParams = ({ urls, backend, strategy, categories }: PageRequest): string => {
  const params = new URLSearchParams(urls.map((url): [string, string] => ['url', url]));
  params.set('backend', backend);
  params.set('strategy', strategy);
  if (categories.length < categoryNames.length) params.set('categories', categories.join(','));
  // A list of categories is easier to read with its commas, and a query may hold them.
  return params.toString().replaceAll('%2C', ',');
};

/** What goes behind the page's own address: a query, or for a long list a fragment. */
export function toAddress(request: PageRequest): string {
  const params = toParams(request);
  return `${params.length <= maxQueryCharacters ? '?' : '#'}${params}`;
}

/** The request that an address holds; undefined when it names no page. */
export function fromAddress({ search, hash }: { search: string; hash: string }): PageRequest | undefined {
  const requests = [search, hash].map(part => readRequest(new URLSearchParams(part.slice(1))));
  return requests.find(({ urls }) => urls.length > 0);
}
