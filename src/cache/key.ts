import type { Category, Strategy } from '../report/report.ts';

/**
 * What makes two `/psi` analyses the same one. The fragment stays: a page may show something else for it.
 * A line feed keeps the parts apart: no canonical URL contains one.
 */
export const toCacheKey = (parts: {
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  locale: string;
  analyser: string;
}): string =>
  `${parts.url}\n${parts.strategy}\n${parts.categories.toSorted().join()}\n${parts.locale}\n${parts.analyser}`;
