import { hash } from 'node:crypto';
import type { RequestCategory, Strategy } from '../../contract/names.ts';

/** Caches the joined names, because requests share a few arrays of categories. */
const joined = new WeakMap<readonly RequestCategory[], string>();

const join = (categories: readonly RequestCategory[]): string => {
  const known = joined.get(categories) ?? categories.toSorted().join();
  joined.set(categories, known);
  return known;
};

/**
 * Builds the key of a `/psi` analysis: a hash, so that names in the store have one length and reveal no URL. The fragment
 * is included, because a page may depend on it. A line feed separates the parts, because no canonical URL contains one.
 * The label is included, because a labelled request measures that build, and the conditions, because they change the
 * page. TARGETS are included, because instances with different targets share no results.
 */
export const toCacheKey = (parts: {
  url: string;
  strategy: Strategy;
  categories: readonly RequestCategory[];
  locale: string;
  analyser: string;
  label: string | null;
  /** Name of the conditions, if there are any. */
  conditions?: string | null;
  targets: string;
}): string =>
  hash(
    'sha256',
    `${parts.url}\n${parts.strategy}\n${join(parts.categories)}\n${parts.locale}\n${parts.analyser}\n${parts.label ?? ''}\n${parts.targets}${parts.conditions ? `\n${parts.conditions}` : ''}`,
  );
