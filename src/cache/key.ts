import type { Category, Strategy } from '../report/report.ts';

/**
 * What makes two `/psi` analyses the same one. The fragment stays: a page may show something else for it.
 * JSON keeps the parts apart whatever they contain.
 */
export const toCacheKey = (parts: {
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  locale: string;
  analyser: string;
}): string => JSON.stringify([parts.url, parts.strategy, parts.categories.toSorted(), parts.locale, parts.analyser]);
