/**
 * The store as an instance shows it to its clients. Instances with other TARGETS may keep results in the same store:
 * those of pages that this instance may not measure are not there for its clients.
 */
import type { ResultStore } from './store.ts';

/** @param isAllowed judges the URL of a page */
export function toAllowedStore(store: ResultStore, isAllowed: (url: string) => boolean): ResultStore {
  return {
    ...store,
    async get(id) {
      const entry = await store.get(id);
      return entry && isAllowed(entry.url) ? entry : undefined;
    },
    async list(query) {
      const { results, next } = await store.list(query);
      return { results: results.filter(({ url }) => isAllowed(url)), next };
    },
    sites: async query => (await store.sites(query)).filter(({ url }) => isAllowed(url)),
    // No page has an empty URL.
    series: query => store.series(isAllowed(query.url) ? query : { ...query, url: '' }),
    byLabel: async (label, query) => (await store.byLabel(label, query)).filter(({ url }) => isAllowed(url)),
    async forget(id) {
      const entry = await store.get(id);
      return entry !== undefined && isAllowed(entry.url) && store.forget(id);
    },
    forgetUrl: async url => (isAllowed(url) ? store.forgetUrl(url) : 0),
  };
}
