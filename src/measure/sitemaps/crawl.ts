/**
 * Finds the pages of a site without a sitemap, by its links. Translations, copies and variants of a query count once,
 * and each route template is followed a few times only, so that calendars and other endless parts end.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Parser } from 'htmlparser2';
import PQueue from 'p-queue';
import { AnalysisError } from '../../contract/errors.ts';
import { toRouteTemplates } from '../../contract/route-templates.ts';
import { MAX_URL_CHARACTERS } from '../targets/page-url.ts';
import type { OpenFile } from './read-file.ts';
import { readRules } from './robots.ts';
import { NotASitemap } from './sitemap-reader.ts';
import { type CrawlLimits, createBudget, TooLarge } from './unpack.ts';

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

/** Parses a URL, unless it is too long to be measured. */
const parseUrl = (address: string, base: string): URL | null =>
  address.length > MAX_URL_CHARACTERS ? null : URL.parse(address, base);

/**
 * Returns the URL of a page as a site names it: without fragment, unless that is a route, and without parameters that
 * name a visit. Undefined for other schemes, files and endless paths.
 */
function toPageLink(address: string, base: string): string | undefined {
  const url = parseUrl(address.trim(), base);
  if (!url || !/^https?:$/.test(url.protocol) || isFile.test(url.pathname) || isEndless(url)) return undefined;
  if (!/^#!?\//.test(url.hash)) url.hash = '';
  url.username = url.password = '';
  url.pathname = url.pathname.replace(visitInPath, '');
  for (const name of [...url.searchParams.keys()]) if (visitParameters.test(name)) url.searchParams.delete(name);
  return url.href;
}

const mostWordsCharacters = 500;
const wordsOf = (text = ''): string[] =>
  text
    .slice(0, mostWordsCharacters)
    .toLowerCase()
    .split(/[\s,]+/);

/** Reads tags without their nesting, because its time grows with the square of the depth. */
class TagReader extends Parser {
  protected override isVoidElement(): boolean {
    return true;
  }
}

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
  const parser = new TagReader({
    onopentag(name, { href, rel, hreflang, content, name: meta }) {
      const relations = wordsOf(rel);
      if (name === 'meta' && meta?.toLowerCase() === 'robots')
        isFollowed &&= !wordsOf(content).some(word => ['nofollow', 'none'].includes(word));
      if (href === undefined) return;
      if (name === 'base') base = parseUrl(href, url)?.href ?? url;
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

type CrawlParts = {
  readonly open: OpenFile;
  /** Returns the text of the robots.txt of a URL's host. */
  readonly readRobots: (url: string) => Promise<string>;
  readonly limits: CrawlLimits;
};

/** Max time for links between two turns of the event loop, because this thread also serves requests. */
const turnMs = 10;
/** Max number of URLs that are only remembered not to be pages, as a multiple of the pages. */
const mostOthers = 5;

/**
 * @param start URL of the first page
 * @throws AnalysisError if the first page cannot be read; the reason of the signal
 */
export async function crawl(start: string, { open, readRobots, limits }: CrawlParts): Promise<Crawled> {
  const budgets = {
    received: createBudget(limits.bytes, 'they'),
    between: createBudget(limits.unpackedBytes, 'unpacked, they'),
    unpacked: createBudget(limits.unpackedBytes, 'unpacked, they'),
  };
  const found = new Set<string>();
  const disallowed = new Set<string>();
  /** URLs that are another page under a second name, or no page. */
  const copies = new Set<string>();
  /** The page of each copy and translation, as pages name it. */
  const originals = new Map<string, string>();
  let isDisallowed = (_url: string): boolean => false;
  const failures: { url: string; error: AnalysisError }[] = [];
  const endMs = performance.now() + limits.timeoutMs;
  let host = new URL(start).host;
  let fetched = 0;
  let isCut = false;

  function addLink(link: string): void {
    if (found.has(link) || copies.has(link) || new URL(link).host !== host) return;
    const isRefused = isDisallowed(link);
    if ((isRefused ? disallowed.size / mostOthers : found.size) >= limits.urls) isCut = true;
    else (isRefused ? disallowed : found).add(link);
  }

  async function addLinks(links: Iterable<string>): Promise<void> {
    let turnEndMs = performance.now() + turnMs;
    for (const link of links) {
      if (performance.now() > turnEndMs) {
        await nextTurn();
        turnEndMs = performance.now() + turnMs;
      }
      if (performance.now() < endMs) addLink(link);
      else isCut = true;
    }
  }

  function addCopy(url: string, original: string): void {
    originals.set(url, original);
    copies.add(url);
    found.delete(url);
  }

  async function addPage(url: string, { links, canonical, translations }: PageLinks): Promise<void> {
    const original = canonical !== undefined && new URL(canonical).host === host ? canonical : url;
    for (const translation of translations)
      if (translation !== original && copies.size / mostOthers < limits.urls) addCopy(translation, original);
    if (original !== url) {
      addCopy(url, original);
      addLink(original);
    }
    await addLinks(links);
  }

  /** Returns the URL after redirects, and the links; undefined if it is no HTML page. */
  async function read(url: string): Promise<{ final: string; links: PageLinks } | undefined> {
    const file = await open(url, budgets);
    try {
      const final = toPageLink(file.url, file.url);
      // The rules of the host to which the site redirects apply to its links.
      if (url === start) {
        host = new URL(file.url).host;
        isDisallowed = readRules(await readRobots(file.url));
      }
      if (final === undefined || !file.isHtml) return undefined;
      return { final, links: await readLinks(firstOf(file.text, limits.pageCharacters), final) };
    } finally {
      file.close();
    }
  }

  function fail(url: string, error: unknown): void {
    if (url === start) throw error;
    if (error instanceof TooLarge) isCut = true;
    // A page whose text is unreadable is still a page.
    if (error instanceof TooLarge || error instanceof NotASitemap) return;
    if (!(error instanceof AnalysisError)) throw error;
    found.delete(url);
    copies.add(url);
    // A link that leads nowhere is the fault of the site, and the other pages are complete.
    if (error.code !== 'page_error') failures.push({ url, error });
  }

  async function follow(url: string): Promise<void> {
    if (performance.now() > endMs) {
      isCut = true;
      return;
    }
    fetched += 1;
    try {
      const page = await read(url);
      if (page?.final !== url) found.delete(url);
      // What a page of another host says about this site does not count.
      if (!page || new URL(page.final).host !== host) return;
      followed.add(page.final);
      addLink(page.final);
      if (!copies.has(page.final)) await addPage(page.final, page.links);
    } catch (error) {
      fail(url, error);
    }
  }

  const followed = new Set<string>();
  const queue = new PQueue({ concurrency: limits.atOnce });
  let next = [start];
  for (let depth = 0; depth < limits.depth && next.length > 0; depth += 1) {
    const chosen = next.slice(0, limits.fetches - fetched);
    if (chosen.length < next.length) isCut = true;
    for (const url of chosen) followed.add(url);
    await queue.addAll(chosen.map(url => () => follow(url)));
    next = selectPages(
      [...found].filter(url => !followed.has(url)),
      limits.followed,
    );
  }
  // A canonical URL that is no page itself, such as one that redirects back, does not hide the page that named it.
  for (const url of followed) {
    const names = new Set<string>();
    let page = url;
    let original = originals.get(url);
    while (original !== undefined && originals.has(original) && !found.has(original) && !names.has(original)) {
      names.add(original);
      page = original;
      original = originals.get(original);
    }
    if (original === undefined || found.has(original)) continue;
    copies.delete(page);
    addLink(page);
  }
  const bare = new Set([...found].filter(url => url === withoutQuery(url)));
  const urls = [...found].filter(url => bare.has(url) || !bare.has(withoutQuery(url)));
  return { urls, fetched, disallowed: disallowed.size, failures, isComplete: !isCut && failures.length === 0 };
}
