/** Request and response of `/sitemap`: the pages of a site. */
import Type, { type Static } from 'typebox';
import { nullable, pageUrlFormat } from './fields.ts';
import { maxSample, mostSitemapUrls } from './names.ts';

export const SitemapQuery = Type.Object({
  url: Type.String({
    format: pageUrlFormat,
    title: 'Url',
    description:
      'URL of a site (its robots.txt, its sitemaps, otherwise its links), of a sitemap, or of a page with links',
  }),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxSample,
      title: 'Sample',
      description: 'Number of pages of each route template to return, the same ones each time; without it, all pages',
    }),
  ),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Sitemap = Type.Object(
  {
    url: Type.String({ description: 'Requested URL in canonical form' }),
    urls: Type.Array(Type.String(), {
      maxItems: mostSitemapUrls,
      description: 'Pages without duplicates, in the order of the sitemaps; this service may measure all of them',
    }),
    found: count('Number of pages found: more than `urls` lists with `sample`, or on a large site'),
    templates: Type.Array(
      Type.Object({
        template: Type.String({ description: 'URL with `*` for each variable part' }),
        pages: count('Number of pages found'),
      }),
      {
        maxItems: mostSitemapUrls,
        description: 'Route templates of the pages, learned from the URLs; those with the most pages first',
      },
    ),
    links: nullable(
      Type.Object(
        {
          read: count('Number of pages whose links were read'),
          disallowed: count('Links that robots.txt disallows'),
        },
        { description: 'Search by links; null if a sitemap was read' },
      ),
    ),
    sitemaps: Type.Array(
      Type.Object({
        url: Type.String({ description: 'URL of the file' }),
        urls: count('Pages that this file added'),
      }),
      { description: 'Files that were read' },
    ),
    skipped: Type.Object({
      not_allowed: count('Pages that this service may not measure'),
      invalid: count('Entries that are not page URLs'),
      repeated: count('Pages that an earlier sitemap listed'),
    }),
    failures: Type.Array(
      Type.Object({
        url: Type.String({ description: 'URL of the file' }),
        detail: Type.String({ description: 'Human-readable sentence' }),
      }),
      { description: 'Sitemaps that could not be read in full' },
    ),
    is_complete: Type.Boolean({
      description: `False if pages are missing: beyond the first ${mostSitemapUrls}, beyond another limit, or in a sitemap that failed`,
    }),
  },
  { $id: 'Sitemap', description: 'Pages of a site, from its sitemaps or its links' },
);
export type Sitemap = Static<typeof Sitemap>;
