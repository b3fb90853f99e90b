/** Request and response of `/sitemap`: the pages of a site. */
import Type, { type Static } from 'typebox';
import { pageUrlFormat } from './fields.ts';
import { mostSitemapUrls } from './names.ts';

export const SitemapQuery = Type.Object({
  url: Type.String({
    format: pageUrlFormat,
    title: 'Url',
    description: 'URL of a sitemap, a robots.txt, or a site (its robots.txt is read)',
  }),
});

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const Sitemap = Type.Object(
  {
    url: Type.String({ description: 'Requested URL in canonical form' }),
    urls: Type.Array(Type.String(), {
      maxItems: mostSitemapUrls,
      description: 'Pages without duplicates, in the order of the sitemaps; this service may measure all of them',
    }),
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
  { $id: 'Sitemap', description: 'Pages that the sitemaps of a site list' },
);
export type Sitemap = Static<typeof Sitemap>;
