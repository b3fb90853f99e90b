import { Sites, SitesQuery } from '../../../contract/stored/sites.ts';
import { toSites } from '../../../explain/history/to-sites.ts';
import { sendJson } from '../../answers/answer.ts';
import { createQueryReader } from '../../input/read-input.ts';
import type { Route } from '../../route.ts';
import { askStore, type StoreSources } from './stored.ts';

const readQuery = createQueryReader(SitesQuery);

export const sitesRoute = ({ store }: StoreSources): Route => ({
  operation: {
    method: 'GET',
    path: '/sites',
    tag: 'results',
    summary: 'List all pages with stored results',
    description:
      'One entry for each page, strategy and source: the latest score, recent scores, the latest failure and the latest change. The most recently measured page comes first.',
    query: SitesQuery,
    answer: Sites,
  },
  effort: 'read',
  handle: async (request, reply) => {
    const { search, limit } = readQuery(request.query as string);
    // One page more than requested shows whether there are more.
    const wanted = { limit: limit + 1, ...(search ? { search } : {}) };
    const rows = await askStore(store, stored => stored.sites(wanted));
    return sendJson(reply, JSON.stringify(toSites(rows, limit)));
  },
});
