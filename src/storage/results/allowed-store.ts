/**
 * Restricts the store to the pages that this instance may measure. Instances with different TARGETS may share the
 * store; their results are hidden from clients of this instance. Uploaded results are visible except in the list of
 * sites, because no instance measured them.
 */
import type { EntryFacts, ResultStore } from './store.ts';

/** @param isAllowed decides whether the URL of a page is allowed */
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
