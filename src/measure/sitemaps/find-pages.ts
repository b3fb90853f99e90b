/** Finds the pages of a site: by its robots.txt and sitemaps, including nested ones, otherwise by its links. */
import { AnalysisError } from '../../contract/errors.ts';
import { mostSitemapUrls } from '../../contract/names.ts';
import { sampleOf, toRouteTemplates } from '../../contract/route-templates.ts';
import type { Sitemap } from '../../contract/sitemap.ts';
import { toPageUrl } from '../targets/page-url.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { type OpenFile, readRobots, toFileUrl } from './read-file.ts';
import { createSitemapReader, NotASitemap } from './sitemap-reader.ts';
import { type Budgets, createBudget, type SitemapLimits, TooLarge } from './unpack.ts';

type SearchParts = {
  readonly open: OpenFile;
  readonly policy: Pick<TargetPolicy, 'judgeUrl'>;
  readonly limits: SitemapLimits;
};

type Found = Omit<Sitemap, 'url' | 'found' | 'templates'>;
type Left = { -readonly [K in keyof Found['skipped']]: number };

/** Returns whether a URL such as `example.com` stands for a whole site, whose robots.txt lists its sitemaps. */
const isSite = ({ pathname, search }: URL): boolean => pathname === '/' && search === '';
const isRobots = ({ pathname }: URL): boolean => pathname.endsWith('/robots.txt');

/** Matches paths and queries. A bare word may also be a host without its scheme. */
const isRelative = /^(?:\.{0,2}\/|\?)/;

const mostRobotsCharacters = 500_000;

const toReadFailure = (error: unknown, url: string): unknown => {
  if (error instanceof NotASitemap)
    return new AnalysisError('sitemap_invalid', `${url} is not a sitemap: ${error.message}.`, { cause: error });
  if (error instanceof TooLarge)
    return new AnalysisError('sitemap_too_large', `The sitemaps are too large to read: ${error.message}.`);
  return error;
};

/** Collects pages, each once. Invalid, repeated and forbidden ones are only counted. */
function createPages({ policy, limits }: Omit<SearchParts, 'open'>) {
  const urls = new Set<string>();
  const left: Left = { not_allowed: 0, invalid: 0, repeated: 0 };
  let isCut = false;
  return {
    urls,
    left,
    get isCut() {
      return isCut;
    },
    add(address: string): void {
      const page = toPageUrl(address);
      if (!('href' in page)) left.invalid += 1;
      else if (urls.has(page.href)) left.repeated += 1;
      else if (!policy.judgeUrl(page.href).allowed) left.not_allowed += 1;
      else if (urls.size >= limits.urls) isCut = true;
      else urls.add(page.href);
    },
  };
}

async function readWhole(open: OpenFile, url: string, budgets: Budgets): Promise<{ url: string; text: string }> {
  const file = await open(url, budgets);
  try {
    let text = '';
    for await (const piece of file.text) {
      text += piece;
      if (text.length > mostRobotsCharacters) break;
    }
    return { url: file.url, text };
  } finally {
    file.close();
  }
}

type SiteRobots = { url: string; text: string; failedStatus?: number | undefined };

/** Returns the text of the robots.txt of a URL's host; empty if there is none. */
const readSiteRobots = (open: OpenFile, start: string, budgets: Budgets): Promise<SiteRobots> =>
  readWhole(open, new URL('/robots.txt', start).href, budgets).catch(error => {
    if (!(error instanceof AnalysisError) || error.code !== 'page_error') throw error;
    return { url: start, text: '', failedStatus: error.pageStatus };
  });

/** Returns the first sitemaps: those in robots.txt, or the conventional ones if it lists no sitemaps. */
async function findSitemaps(open: OpenFile, start: URL, budgets: Budgets): Promise<string[]> {
  if (!isSite(start) && !isRobots(start)) return [start.href];
  // A missing robots.txt counts as one without sitemaps, unless the client requested it.
  const { url, text } = isRobots(start)
    ? await readWhole(open, start.href, budgets)
    : await readSiteRobots(open, start.href, budgets);
  const named = readRobots(text, url);
  return named.length > 0 ? named : [new URL('/sitemap.xml', start).href];
}

const notFound = (start: URL) =>
  new AnalysisError(
    'sitemap_not_found',
    `robots.txt of ${start.host} lists no sitemap, /sitemap.xml does not exist, and the start page cannot be read.`,
  );

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function sayEmpty({ not_allowed: refused, invalid }: Left): string {
  const named = refused + invalid;
  if (named === 0) return 'The sitemap lists no pages.';
  if (refused === 0) return `The sitemap has ${counted(named, 'entry', 'entries')}, but none is the URL of a page.`;
  return `The sitemap lists ${counted(named, 'page')}, but TARGETS allows none of them.`;
}

function sayNoLinks(href: string, disallowed: number, { not_allowed: refused }: Left): string {
  if (disallowed > 0) return `The robots.txt of ${new URL(href).host} disallows the pages of this site.`;
  return refused > 0 ? 'TARGETS allows none of the pages of this site.' : `${href} leads to no page.`;
}

type FailedFile = { url: string; error: AnalysisError };

/** Returns the error that explains why no pages were found. */
function toNothing(start: URL, [failed]: readonly FailedFile[], left: Left): AnalysisError {
  if (!failed) return new AnalysisError('sitemap_empty', sayEmpty(left));
  const isGuess = isSite(start) && failed.url === new URL('/sitemap.xml', start).href;
  return isGuess && failed.error.code === 'page_error' ? notFound(start) : failed.error;
}

type Next = { url: string; depth: number };

/** Queue of files to read, each once. */
function createFiles(first: readonly string[], { files, depth: mostDepth }: SitemapLimits) {
  const waiting: Next[] = first.map(url => ({ url, depth: 1 }));
  const seen = new Set(first);
  let opened = 0;
  let isCut = false;
  let tooDeep: string | undefined;
  return {
    get isCut() {
      return isCut;
    },
    /** The first sitemap that is nested too deep. */
    get tooDeep() {
      return tooDeep;
    },
    add(url: string, depth: number): void {
      if (seen.has(url)) return;
      if (depth > mostDepth) tooDeep ??= url;
      if (depth > mostDepth || seen.size >= files) isCut = true;
      else waiting.push({ url, depth });
      seen.add(url);
    },
    next(): Next | undefined {
      opened += 1;
      if (waiting.length > 0 && opened > files) isCut = true;
      return isCut && opened > files ? undefined : waiting.shift();
    },
  };
}

const createBudgets = (limits: Pick<SitemapLimits, 'bytes' | 'unpackedBytes'>): Budgets => ({
  received: createBudget(limits.bytes, 'they'),
  between: createBudget(limits.unpackedBytes, 'unpacked, they'),
  unpacked: createBudget(limits.unpackedBytes, 'unpacked, they'),
});

const toSaid = ({ url, error }: FailedFile) => ({ url, detail: error.message });

/** Returns whether no more data can be received after this error. */
const isLast = ({ code }: AnalysisError): boolean => code === 'sitemap_too_large' || code === 'page_timeout';

/** @throws AnalysisError if the sitemaps list no page; the errors of `open` */
async function readSitemaps(href: string, { open, policy, limits }: SearchParts): Promise<Found> {
  const start = new URL(href);
  const pages = createPages({ policy, limits });
  const budgets = createBudgets(limits);
  const first = await findSitemaps(open, start, budgets).catch(error => {
    throw toReadFailure(error, href);
  });
  const files = createFiles(first, limits);
  const sitemaps: Found['sitemaps'] = [];
  const failures: FailedFile[] = [];

  async function readOne({ url, depth }: Next): Promise<void> {
    const before = pages.urls.size;
    const file = await open(url, budgets);
    const onEntry = (kind: 'page' | 'sitemap', address: string): void => {
      const nested = kind === 'sitemap' ? toFileUrl(address, file.url) : null;
      if (kind === 'page')
        pages.add(isRelative.test(address) ? (URL.parse(address, file.url)?.href ?? address) : address);
      else if (nested) files.add(nested.href, depth + 1);
      else pages.left.invalid += 1;
    };
    const reader = createSitemapReader(onEntry);
    try {
      for await (const text of file.text) {
        reader.write(text);
        if (pages.isCut) break;
      }
      if (!pages.isCut) reader.end();
    } finally {
      file.close();
      sitemaps.push({ url, urls: pages.urls.size - before });
    }
  }

  for (let next = files.next(); next && !pages.isCut; next = files.next()) {
    const { url } = next;
    try {
      await readOne(next);
    } catch (error) {
      const failure = toReadFailure(error, url);
      if (!(failure instanceof AnalysisError)) throw failure;
      failures.push({ url, error: failure });
      if (isLast(failure)) break;
    }
  }

  if (files.tooDeep !== undefined)
    failures.push({
      url: files.tooDeep,
      error: new AnalysisError('sitemap_too_large', `Sitemaps nested deeper than ${limits.depth} levels are not read.`),
    });
  if (pages.urls.size === 0) throw toNothing(start, failures, pages.left);
  return {
    urls: [...pages.urls],
    sitemaps,
    links: null,
    skipped: pages.left,
    failures: failures.map(toSaid),
    is_complete: !files.isCut && !pages.isCut && failures.length === 0,
  };
}

/** @throws AnalysisError if the first page cannot be read; the errors of `open` */
async function readSiteLinks(href: string, { open, policy, limits }: SearchParts): Promise<Found> {
  const readRobots = async (url: string) => {
    const { text, failedStatus = 404 } = await readSiteRobots(open, url, createBudgets(limits));
    if (failedStatus < 500) return text;
    // RFC 9309, 2.3.1.4: no link may be followed if the server fails.
    const said = `Links of ${new URL(url).host} are not followed, because its robots.txt returned status ${failedStatus}.`;
    throw new AnalysisError('sitemap_not_found', said, { pageStatus: failedStatus });
  };
  // Few services search a site by its links, and the parser of pages takes memory.
  const { crawl } = await import('./crawl.ts');
  const found = await crawl(href, { open, readRobots, limits: limits.links }).catch(error => {
    throw toReadFailure(error, href);
  });
  const { urls, fetched, disallowed, failures, isComplete } = found;
  const pages = createPages({ policy, limits });
  for (const url of urls) pages.add(url);
  if (pages.urls.size === 0) throw new AnalysisError('sitemap_empty', sayNoLinks(href, disallowed, pages.left));
  return {
    urls: [...pages.urls],
    sitemaps: [],
    links: { read: fetched, disallowed },
    skipped: pages.left,
    failures: failures.map(toSaid),
    is_complete: isComplete,
  };
}

/** Returns whether there is no sitemap, only a page: the one that was requested, or what a site answers for any URL. */
const isWithoutSitemap = (error: unknown, { pathname }: URL): boolean =>
  error instanceof AnalysisError &&
  (error.code === 'sitemap_not_found' ||
    (error.cause instanceof NotASitemap && error.cause.isPage && !/\.(?:xml|txt|gz)$/i.test(pathname)));

/**
 * @param href canonical URL
 * @param sample number of pages of each route template; null for all pages
 * @throws AnalysisError if there is no page to measure; the errors of `open`
 */
export async function findPages(href: string, parts: SearchParts, sample: number | null = null): Promise<Sitemap> {
  const found = await readSitemaps(href, parts).catch(async error => {
    if (!isWithoutSitemap(error, new URL(href))) throw error;
    return readSiteLinks(href, parts).catch(failure => {
      throw failure instanceof AnalysisError && failure.code === 'page_error' ? error : failure;
    });
  });
  const templates = toRouteTemplates(found.urls);
  const urls = sample === null ? found.urls : templates.flatMap(template => sampleOf(template, sample));
  return {
    ...found,
    url: href,
    urls: urls.slice(0, mostSitemapUrls),
    found: found.urls.length,
    templates: templates
      .slice(0, mostSitemapUrls)
      .map(({ template, urls: pages }) => ({ template, pages: pages.length })),
    is_complete: found.is_complete && urls.length <= mostSitemapUrls,
  };
}
