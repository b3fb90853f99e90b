/** Decides which requests the loads of an experiment pause, from the changes of its arms. */
import type { RecipeName } from './names.ts';
import type { Interception, LoadVariant } from './request.ts';

type Changes = Pick<LoadVariant, 'replace' | 'headers' | 'recipes'>;

const documentRecipes: ReadonlySet<RecipeName> = new Set([
  ...(['defer', 'async', 'preload', 'lazy-loading', 'eager-loading', 'fetch-priority'] as const),
  ...(['font-display', 'find-and-replace'] as const),
]);

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/**
 * @param arms all arms of one experiment, in any order; those without changes have no effect
 * @returns the requests and responses that every arm intercepts, including the base
 */
export function toInterception(arms: readonly Changes[]): Interception {
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
    document: recipes.some(({ name }) => documentRecipes.has(name)),
  };
}
