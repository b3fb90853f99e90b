import type { RequestCategory, Strategy } from '../../contract/names.ts';

/** A request's list of categories is one of a few, read once. */
const joined = new WeakMap<readonly RequestCategory[], string>();

const join = (categories: readonly RequestCategory[]): string => {
  const known = joined.get(categories) ?? categories.toSorted().join();
  joined.set(categories, known);
  return known;
};

/**
 * What makes two `/psi` analyses the same one. The fragment stays: a page may show something else for it.
 * A line feed keeps the parts apart: no canonical URL contains one.
 * A labelled request is for a measurement of that build. Instances with other TARGETS share no results.
 */
export const toCacheKey = (parts: {
  url: string;
  strategy: Strategy;
  categories: readonly RequestCategory[];
  locale: string;
  analyser: string;
  label: string | null;
  targets: string;
}): string =>
  `${parts.url}\n${parts.strategy}\n${join(parts.categories)}\n${parts.locale}\n${parts.analyser}\n${parts.label ?? ''}\n${parts.targets}`;
