/**
 * The store as an instance shows it to its clients. Instances with other TARGETS may keep results in the same store:
 * those of pages that this instance may not measure are not there for its clients. Uploaded results are: no instance
 * measures them.
 */
import type { EntryFacts, ResultStore } from './store.ts';

/** @param isAllowed judges the URL of a page */
export function toAllowedStore(store: ResultStore, isAllowed: (url: string) => boolean): ResultStore {
  const isShown = ({ url, analyser }: EntryFacts): boolean => isAllowed(url) || analyser.kind === 'uploaded';
  return {
    ...store,
    async get(id) {
      const entry = await store.get(id);
      return entry && isShown(entry) ? entry : undefined;
    },
    async list(query) {
      const { results, next } = await store.list(query);
      return { results: results.filter(isShown), next };
    },
    sites: async query => (await store.sites(query)).filter(({ url }) => isAllowed(url)),
    series: query => store.series(isAllowed(query.url) ? query : { ...query, analyser: 'uploaded' }),
    byLabel: async (label, query) => (await store.byLabel(label, query)).filter(isShown),
    async forget(id) {
      const entry = await store.get(id);
      return entry !== undefined && isShown(entry) && store.forget(id);
    },
    forgetUrl: async url => (isAllowed(url) ? store.forgetUrl(url) : 0),
  };
}
