/** Request and response of `/sitemap`: the pages of a site. */
import Type, { type Static } from 'typebox';
import { arrayOf, component, count, flag, group, nullable, text } from './fields.ts';
import { maxSample, mostSitemapUrls } from './names.ts';
import { pageUrl, parameters } from './parameters.ts';

export const SitemapQuery = parameters({
  url: pageUrl(
    'URL of a site (its robots.txt, its sitemaps, otherwise its links), of a sitemap, or of a page with links',
  ),
  sample: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxSample,
      title: 'Sample',
      description: 'Number of pages of each route template to return, the same ones each time; without it, all pages',
    }),
  ),
});

export const Sitemap = component('Sitemap', 'Pages of a site, from its sitemaps or its links', {
  url: text('Requested URL in canonical form'),
  urls: Type.Array(Type.String(), {
    maxItems: mostSitemapUrls,
    description: 'Pages without duplicates, in the order of the sitemaps; this service may measure all of them',
  }),
  found: count('Number of pages found: more than `urls` lists with `sample`, or on a large site'),
  templates: Type.Array(
    Type.Object({ template: text('URL with `*` for each variable part'), pages: count('Number of pages found') }),
    {
      maxItems: mostSitemapUrls,
      description: 'Route templates of the pages, learned from the URLs; those with the most pages first',
    },
  ),
  links: nullable(
    group('Search by links; null if a sitemap was read', {
      read: count('Number of pages whose links were read'),
      disallowed: count('Links that robots.txt disallows'),
    }),
  ),
  sitemaps: arrayOf(
    Type.Object({ url: text('URL of the file'), urls: count('Pages that this file added') }),
    'Files that were read',
  ),
  skipped: Type.Object({
    not_allowed: count('Pages that this service may not measure'),
    invalid: count('Entries that are not page URLs'),
    repeated: count('Pages that an earlier sitemap listed'),
  }),
  failures: arrayOf(
    Type.Object({ url: text('URL of the file'), detail: text('Human-readable sentence') }),
    'Sitemaps that could not be read in full',
  ),
  is_complete: flag(
    `False if pages are missing: beyond the first ${mostSitemapUrls}, beyond another limit, or in a sitemap that failed`,
  ),
});
export type Sitemap = Static<typeof Sitemap>;
