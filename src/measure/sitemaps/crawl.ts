/**
 * Finds the pages of a site without a sitemap, by its links. Translations, copies and variants of a query count once,
 * and each route template is followed a few times only, so that calendars and other endless parts end.
 */

import { Parser } from 'htmlparser2';
import PQueue from 'p-queue';
import robotsModule from 'robots-parser';
import { AnalysisError } from '../../contract/errors.ts';
import { toRouteTemplates } from '../../contract/route-templates.ts';
import type { OpenFile } from './read-file.ts';
import { type CrawlLimits, createBudget } from './unpack.ts';

/** Reads the links of a page, and the URLs by which the page names itself. */
type PageLinks = {
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
function toPageLink(address: string, base: string): string | undefined {
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
async function readLinks(text: AsyncIterable<string>, url: string): Promise<PageLinks> {
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

export type Crawled = {
  readonly urls: readonly string[];
  readonly fetched: number;
  /** Links that robots.txt disallows. */
  readonly disallowed: number;
  readonly failures: readonly { url: string; error: AnalysisError }[];
  /** False if a limit or a failure ended the search. */
  readonly isComplete: boolean;
};

/** The types of the library describe a default export, but the module is the function itself. */
const parseRobots = robotsModule as unknown as typeof robotsModule.default;
const userAgent = 'Rangelight';

const withoutQuery = (url: string): string => url.split('?', 1)[0] ?? url;

/** Selects pages to follow: some of each route template, so that each part of a site is seen. */
function selectPages(urls: readonly string[], followed: number): string[] {
  const lists = toRouteTemplates(urls).map(({ urls: pages }) => pages.slice(0, followed));
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap(pages => pages[at] ?? [])).flat();
}

async function* firstOf(text: AsyncIterable<string>, characters: number): AsyncGenerator<string> {
  let left = characters;
  for await (const piece of text) {
    yield piece.slice(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/**
 * @param start URL of the first page
 * @param robots text of the site's robots.txt
 * @throws AnalysisError if the first page cannot be read; the reason of the signal
 */
export async function crawl(
  start: string,
  { open, robots, limits }: { open: OpenFile; robots: string; limits: CrawlLimits },
): Promise<Crawled> {
  const budgets = {
    received: createBudget(limits.bytes, 'they'),
    between: createBudget(limits.unpackedBytes, 'unpacked, they'),
    unpacked: createBudget(limits.unpackedBytes, 'unpacked, they'),
  };
  const rules = parseRobots(new URL('/robots.txt', start).href, robots);
  const found = new Set<string>();
  const disallowed = new Set<string>();
  /** URLs that are another page under a second name. */
  const copies = new Set<string>();
  const failures: { url: string; error: AnalysisError }[] = [];
  let host = new URL(start).host;
  let fetched = 0;
  let isCut = false;

  function addLink(link: string): void {
    if (found.has(link) || copies.has(link) || new URL(link).host !== host) return;
    if (rules.isDisallowed(link, userAgent)) disallowed.add(link);
    else if (found.size >= limits.urls) isCut = true;
    else found.add(link);
  }

  function addPage(url: string, { links, canonical, translations }: PageLinks): void {
    for (const translation of translations) {
      if (translation === (canonical ?? url)) continue;
      copies.add(translation);
      found.delete(translation);
    }
    if (canonical !== undefined && canonical !== url && new URL(canonical).host === host) {
      copies.add(url);
      found.delete(url);
      addLink(canonical);
    }
    for (const link of links) addLink(link);
  }

  /** Returns the URL after redirects, and the links; undefined if it is no HTML page. */
  async function read(url: string): Promise<{ final: string; links: PageLinks } | undefined> {
    const file = await open(url, budgets);
    try {
      const final = toPageLink(file.url, file.url);
      if (url === start) host = new URL(file.url).host;
      if (final === undefined || !file.isHtml) return undefined;
      return { final, links: await readLinks(firstOf(file.text, limits.pageCharacters), final) };
    } finally {
      file.close();
    }
  }

  function fail(url: string, error: unknown): void {
    if (!(error instanceof AnalysisError) || url === start) throw error;
    found.delete(url);
    copies.add(url);
    // A link that leads nowhere is the fault of the site, and the other pages are complete.
    if (error.code !== 'page_error') failures.push({ url, error });
  }

  async function follow(url: string): Promise<void> {
    fetched += 1;
    try {
      const page = await read(url);
      if (page?.final !== url) found.delete(url);
      if (!page) return;
      addLink(page.final);
      if (!copies.has(page.final)) addPage(page.final, page.links);
    } catch (error) {
      fail(url, error);
    }
  }

  const followed = new Set<string>();
  const endMs = performance.now() + limits.timeoutMs;
  const stop = () => {
    isCut = true;
  };
  const queue = new PQueue({ concurrency: limits.atOnce });
  let next = [start];
  for (let depth = 0; depth < limits.depth && next.length > 0; depth += 1) {
    const chosen = next.slice(0, limits.fetches - fetched);
    if (chosen.length < next.length) isCut = true;
    for (const url of chosen) followed.add(url);
    await queue.addAll(chosen.map(url => () => (performance.now() < endMs ? follow(url) : stop())));
    next = selectPages(
      [...found].filter(url => !followed.has(url)),
      limits.followed,
    );
  }
  const bare = new Set([...found].filter(url => url === withoutQuery(url)));
  const urls = [...found].filter(url => bare.has(url) || !bare.has(withoutQuery(url)));
  return { urls, fetched, disallowed: disallowed.size, failures, isComplete: !isCut && failures.length === 0 };
}
