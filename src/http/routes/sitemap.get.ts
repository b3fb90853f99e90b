import { Sitemap, SitemapQuery } from '../../contract/sitemap.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import type { ReadSitemap } from '../../measure/sitemaps/read-sitemap.ts';
import { answerAnalysis } from '../answers/answer-analysis.ts';
import { createQueryReader } from '../input/read-input.ts';
import type { Route, RouteParts } from '../route.ts';

const readQuery = createQueryReader(SitemapQuery);

export const sitemapRoute = ({ readSitemap, admit, toClientId }: RouteParts & { readSitemap: ReadSitemap }): Route => ({
  operation: {
    method: 'GET',
    path: '/sitemap',
    tag: 'analysis',
    summary: 'List the pages of a site',
    description:
      'Returns up to 1,000 pages of a site: from its sitemaps, or by its links if it has none. Nothing is measured.',
    query: SitemapQuery,
    answer: Sitemap,
  },
  effort: 'measurement',
  handle: async (request, reply) => {
    const asked = readQuery(request.query as string);
    await admit(request, [asked.url]);
    return answerAnalysis(request, reply, async signal => ({
      json: [toJson(await readSitemap(asked, { client: toClientId(request), signal }))],
    }));
  },
});
