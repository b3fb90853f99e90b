/** Request and response of `/sitemap`: the pages of a site. */
import Type, { type Static } from 'typebox';
import { pageUrlFormat } from './fields.ts';
import { mostSitemapUrls } from './names.ts';

export const SitemapQuery = Type.Object({
  url: Type.String({
    format: pageUrlFormat,
    title: 'Url',
    description: 'URL of a sitemap, of a robots.txt, or of a site, whose robots.txt is read',
  }),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Sitemap = Type.Object(
  {
    url: Type.String({ description: 'Requested URL in canonical form' }),
    urls: Type.Array(Type.String(), {
      maxItems: mostSitemapUrls,
      description: 'The pages, each once, in the order of the sitemaps; all of them may be measured here',
    }),
    sitemaps: Type.Array(
      Type.Object({
        url: Type.String({ description: 'URL of the file' }),
        urls: count('Pages that this file added'),
      }),
      { description: 'The files that were read' },
    ),
    skipped: Type.Object({
      not_allowed: count('Pages that may not be measured here'),
      invalid: count('Entries that are not the URL of a page'),
      repeated: count('Pages that an earlier sitemap listed'),
    }),
    failures: Type.Array(
      Type.Object({
        url: Type.String({ description: 'URL of the file' }),
        detail: Type.String({ description: 'A sentence for a person' }),
      }),
      { description: 'Sitemaps that could not be read in full' },
    ),
    is_complete: Type.Boolean({
      description: `False if there are more: beyond ${mostSitemapUrls} pages, beyond a limit, or in a sitemap that failed`,
    }),
  },
  { $id: 'Sitemap', description: 'Pages that the sitemaps of a site list' },
);
export type Sitemap = Static<typeof Sitemap>;
