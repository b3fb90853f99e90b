/** Reads the links of a page, and the URLs by which the page names itself. */
import { Parser } from 'htmlparser2';

export type PageLinks = {
  readonly links: ReadonlySet<string>;
  /** The URL of which this page says that it is a copy. */
  readonly canonical: string | undefined;
  /** The same page in other languages. */
  readonly translations: ReadonlySet<string>;
};

const maxLinks = 5000;

/** Extensions of files that are no pages. */
const isFile =
  /\.(?:avif|bmp|css|csv|docx?|eot|epub|exe|gif|gz|ico|ics|iso|jpe?g|js|json|m4a|mjs|mov|mp[34]|ogg|pdf|png|pptx?|rar|rss|svg|tar|tiff?|txt|wasm|wav|webm|webp|woff2?|xlsx?|xml|zip)$/i;
/** Parameters that name a visit, a visitor or an advertisement, not a page. */
const visitParameters =
  /^(?:utm_\w+|[a-z]{1,2}clid|msclkid|fbclid|mc_[ce]id|_g[al]|sid|phpsessid|jsessionid|sessionid)$/i;
const visitInPath = /;(?:jsessionid|sid)=[^/?#]*/i;
const maxSegments = 12;
const maxSameSegments = 2;

/** Returns whether the path repeats itself, as it does where relative links lead ever deeper. */
function isEndless({ pathname }: URL): boolean {
  const segments = pathname.split('/').filter(segment => segment !== '');
  const most = Math.max(0, ...[...Map.groupBy(segments, name => name).values()].map(({ length }) => length));
  return segments.length > maxSegments || most > maxSameSegments;
}

/**
 * Returns the URL of a page as a site names it: without fragment, unless that is a route, and without parameters that
 * name a visit. Undefined for other schemes, files and endless paths.
 */
export function toPageLink(address: string, base: string): string | undefined {
  const url = URL.parse(address.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol) || isFile.test(url.pathname) || isEndless(url)) return undefined;
  if (!/^#!?\//.test(url.hash)) url.hash = '';
  url.username = url.password = '';
  url.pathname = url.pathname.replace(visitInPath, '');
  for (const name of [...url.searchParams.keys()]) if (visitParameters.test(name)) url.searchParams.delete(name);
  return url.href;
}

const wordsOf = (text: string | undefined): string[] => (text ?? '').toLowerCase().split(/[\s,]+/);

/** @param url of the page after redirects */
export async function readLinks(text: AsyncIterable<string>, url: string): Promise<PageLinks> {
  const links = new Set<string>();
  const translations = new Set<string>();
  let base = url;
  let canonical: string | undefined;
  let isFollowed = true;
  const add = (to: Set<string>, address: string): void => {
    const link = to.size < maxLinks ? toPageLink(address, base) : undefined;
    if (link !== undefined) to.add(link);
  };
  const readLink = (relations: readonly string[], href: string, isTranslation: boolean): void => {
    if (relations.includes('canonical')) canonical ??= toPageLink(href, base);
    if (relations.includes('alternate') && isTranslation) add(translations, href);
  };
  const parser = new Parser({
    onopentag(name, { href, rel, hreflang, content, name: meta }) {
      const relations = wordsOf(rel);
      if (name === 'meta' && meta?.toLowerCase() === 'robots') isFollowed &&= !wordsOf(content).includes('nofollow');
      if (href === undefined) return;
      if (name === 'base') base = URL.parse(href, url)?.href ?? url;
      else if (name === 'link') readLink(relations, href, hreflang !== undefined);
      else if (['a', 'area'].includes(name) && !relations.includes('nofollow')) add(links, href);
    },
  });
  for await (const piece of text) parser.write(piece);
  parser.end();
  return { links: isFollowed ? links : new Set(), canonical, translations };
}
