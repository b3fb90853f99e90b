/** What a person asks the page for, and how it stands in the address bar. */
import { categoryNames, maxLabelCharacters, type RequestCategory, requestCategories } from '../contract/names.ts';
import { readUrls } from './read-urls.ts';

export const backends = ['remote', 'local', 'compare'] as const;
export type Backend = (typeof backends)[number];

export const strategyChoices = ['mobile', 'desktop', 'both'] as const;
export type StrategyChoice = (typeof strategyChoices)[number];

const runChoices = ['1', '3', '5', 'auto'] as const;
type RunChoice = (typeof runChoices)[number];

/** What few people change: absent where it is as usual. */
type Extras = {
  /** Under which the results are kept. */
  readonly label?: string;
  /** Of the local side: more than one. */
  readonly runs?: Exclude<RunChoice, '1'>;
  /** Settings of the local side: those of PageSpeed Insights. */
  readonly profile?: 'psi';
  /** The processor is slowed down by as much as the speed of the machine asks for. */
  readonly cpu?: 'calibrated';
  /** Nothing else is measured on the machine beside it. */
  readonly exclusive?: 'true';
};

export type PageRequest = Extras & {
  /** With their schemes, each once. One with a space in it is no address, and is not to be measured. */
  readonly urls: readonly string[];
  readonly backend: Backend;
  readonly strategy: StrategyChoice;
  /** In the order of `requestCategories`; never empty. */
  readonly categories: readonly RequestCategory[];
};

const usualStrategy = 'mobile';

/** The service reads 16 KB of headers, and proxies less. A longer list goes into the fragment, which no server sees. */
const maxQueryCharacters = 4000;

const isOneOf = <T extends string>(names: readonly T[], text: string | null): text is T =>
  (names as readonly string[]).includes(text ?? '');

const readCategories = (given: readonly string[]): readonly RequestCategory[] => {
  const wanted = new Set(given.flatMap(entry => entry.split(',')).map(entry => entry.trim()));
  const known = requestCategories.filter(name => wanted.has(name));
  return known.length > 0 ? known : categoryNames;
};

/** Those of the service, which need not be named: every category with a score. */
export const areUsual = (categories: readonly RequestCategory[]): boolean =>
  categories.length === categoryNames.length && categoryNames.every(name => categories.includes(name));

const readExtras = (params: URLSearchParams): Extras => {
  const label = (params.get('label') ?? '').trim().slice(0, maxLabelCharacters);
  const runs = params.get('runs');
  return {
    ...(label === '' ? {} : { label }),
    ...(isOneOf(runChoices, runs) && runs !== '1' ? { runs } : {}),
    ...(params.get('profile') === 'psi' ? { profile: 'psi' as const } : {}),
    ...(params.get('cpu') === 'calibrated' ? { cpu: 'calibrated' as const } : {}),
    ...(params.get('exclusive') === 'true' ? { exclusive: 'true' as const } : {}),
  };
};

/**
 * Reads what the form sends, or what an address holds. What is not understood has its default.
 * @param usual the backend where none is named
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

const toParams = ({ urls, backend, strategy, categories, ...extras }: PageRequest): string => {
  const params = new URLSearchParams(urls.map((url): [string, string] => ['url', url]));
  params.set('backend', backend);
  params.set('strategy', strategy);
  if (!areUsual(categories)) params.set('categories', categories.join(','));
  for (const name of ['label', 'runs', 'profile', 'cpu', 'exclusive'] as const)
    if (extras[name]) params.set(name, extras[name]);
  // A list of categories is easier to read with its commas, and a query may hold them.
  return params.toString().replaceAll('%2C', ',');
};

/** What goes behind the page's own address: a query, or for a long list a fragment. */
export function toAddress(request: PageRequest): string {
  const params = toParams(request);
  return `${params.length <= maxQueryCharacters ? '?' : '#'}${params}`;
}

/** The request that an address holds; undefined when it names no page. */
export function fromAddress(
  { search, hash }: { search: string; hash: string },
  usual: Backend,
): PageRequest | undefined {
  const requests = [search, hash].map(part => readRequest(new URLSearchParams(part.slice(1)), usual));
  return requests.find(({ urls }) => urls.length > 0);
}
