/** The order that a worker receives for one load of an experiment, and its answer. */
import type { RecipeName, ThrottlingMethod } from './names.ts';
import type { Recipe, Throttling } from './request.ts';

/** The requests that a load pauses, the same in each arm of an experiment; `toInterception` determines them. */
export type Interception = {
  /** Patterns of URLs: their requests are paused before they are sent. */
  readonly requests: readonly string[];
  /** Exact URLs: their responses are paused, then served by the browser. */
  readonly answers: readonly string[];
  /** URL patterns of style sheets, which are read and served by the browser. */
  readonly stylesheets: readonly string[];
  /** Whether each request to the origin of the page is paused before it is sent. */
  readonly origin: boolean;
  readonly document: boolean;
};

/**
 * The changes of one load, as its worker receives them. Each arm of an experiment intercepts the same requests, so the
 * base differs from a variant only in their changes: an arm without changes has only `intercept` and
 * `throttlingMethod`.
 */
export type LoadVariant = {
  readonly intercept: Interception;
  /** Patterns for Lighthouse's `blockedUrlPatterns`. */
  readonly block: readonly string[];
  /** Exact URLs with their replacements. One of `body` and `with` is not null. */
  readonly replace: readonly { readonly url: string; readonly body: string | null; readonly with: string | null }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly recipes: readonly Recipe[];
  /** CPU and network throttling; null for that of the profile. */
  readonly throttling: Throttling | null;
  readonly throttlingMethod: ThrottlingMethod;
};

/** The key of `Hits` that counts the requests with the headers of a variant. */
export const headersKey = 'headers';

/**
 * How often a load applied each of its changes: requests blocked, responses replaced, elements changed, requests left
 * unanswered. Zero means that the change matched nothing, or that the browser refused it. The keys are blocked patterns
 * and replaced URLs; the key of a recipe is its name and its `url`, if it has one. A second recipe
 * with the same name and URL has `#2` after its key.
 */
export type Hits = Readonly<Record<string, number>>;

const changesDocument: Readonly<Record<RecipeName, boolean>> = {
  defer: true,
  async: true,
  preload: true,
  'lazy-loading': true,
  'eager-loading': true,
  'fetch-priority': true,
  'font-display': true,
  'single-point-of-failure': false,
  'find-and-replace': true,
};

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/**
 * Decides which requests the loads of an experiment pause, from the changes of its arms.
 * @param arms all arms of one experiment, in any order; those without changes have no effect
 * @returns the requests and responses that every arm intercepts, including the base
 */
export function toInterception(arms: readonly Pick<LoadVariant, 'replace' | 'headers' | 'recipes'>[]): Interception {
  const replaced = arms.flatMap(({ replace }) => replace);
  const recipes = arms.flatMap(arm => arm.recipes);
  const patternsOf = (name: RecipeName) => recipes.filter(recipe => recipe.name === name).map(({ url }) => url ?? '*');
  return {
    requests: distinct([
      ...replaced.filter(({ with: other }) => other !== null).map(({ url }) => url),
      ...patternsOf('single-point-of-failure'),
    ]),
    answers: distinct(replaced.filter(({ body }) => body !== null).map(({ url }) => url)),
    stylesheets: distinct(patternsOf('font-display')),
    origin: arms.some(({ headers }) => Object.keys(headers).length > 0),
    document: recipes.some(({ name }) => changesDocument[name]),
  };
}
