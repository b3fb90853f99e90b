/** Lists the pages of a site as the source of a list: the request, and its form in the address bar. */
import type { Sitemap } from '../contract/sitemap.ts';
import { addresses, get, type ReadBody } from './ask-json.ts';
import type { AskOptions } from './ask-service.ts';
import { type Backend, type PageRequest, readRequest, toAddress } from './page-request.ts';

/** `request.urls` has one URL: that of a site, a robots.txt, or a sitemap. */
export type SitemapRequest = {
  readonly request: PageRequest;
  /** Number of pages of each route template; undefined for all pages. */
  readonly sample?: number | undefined;
};

const parameter = 'sitemap';

export const toSitemapAddress = ({ request, sample }: SitemapRequest): string => {
  const params = new URLSearchParams(toAddress({ ...request, urls: [] }).slice(1));
  if (sample !== undefined) params.set('sample', `${sample}`);
  return `?${new URLSearchParams([[parameter, request.urls[0] ?? ''], ...params])}`;
};

/** Returns the sitemap request in a URL; undefined for any other URL. */
export function sitemapIn({ search }: { search: string }, usual: Backend): SitemapRequest | undefined {
  const params = new URLSearchParams(search.slice(1));
  const wanted = params.get(parameter);
  if (wanted === null) return undefined;
  params.set('url', wanted);
  const request = readRequest(params, usual);
  const [url] = request.urls;
  const sample = Number(params.get('sample')) || undefined;
  return url === undefined ? undefined : { request: { ...request, urls: [url] }, sample };
}

/** Turns the URL of any page into that of its site, unless it is a file that lists pages. */
export function toSource(address: string): string {
  const url = URL.parse(address);
  if (!url?.protocol.startsWith('http')) return address;
  const isFile = /\.(?:xml|txt|gz)$|sitemap/i.test(url.pathname) || /sitemap/i.test(url.search);
  return isFile ? address : `${url.origin}/`;
}

/** @throws only the signal's reason */
export const readSitemap = (url: string, options: AskOptions, sample?: number): Promise<ReadBody<Sitemap>> =>
  get(addresses.sitemap({ url, sample }), ['urls', 'skipped', 'templates'], options);
