import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { crawl } from './crawl.ts';
import type { OpenFile } from './read-file.ts';
import { NotASitemap } from './sitemap-reader.ts';
import { type CrawlLimits, TooLarge, usualSitemapLimits } from './unpack.ts';

const site = 'https://site.com';
type Pages = Readonly<Record<string, string | { to: string; html?: string } | { error: Error }>>;

const toLinks = (...paths: string[]) => paths.map(path => `<a href="${path}">x</a>`).join('');
const gone = new AnalysisError('page_error', 'It returned status 404.', { pageStatus: 404 });

async function search(
  pages: Pages | ((path: string) => string | undefined),
  options: { robots?: string; limits?: Partial<CrawlLimits> } = {},
) {
  const opened: string[] = [];
  const open: OpenFile = async asked => {
    const path = asked.replace(site, '');
    opened.push(path);
    const page = typeof pages === 'function' ? pages(path) : pages[path];
    if (page === undefined) throw gone;
    if (typeof page === 'object' && 'error' in page) throw page.error;
    const url = typeof page === 'object' ? new URL(page.to, asked).href : asked;
    const html = typeof page === 'object' ? (page.html ?? '') : page;
    const step = html.length > 100_000 ? 65_536 : 10;
    async function* text() {
      for (let at = 0; at < html.length; at += step) yield html.slice(at, at + step);
    }
    return { url, isHtml: !path.endsWith('feed'), text: text(), close: () => {} };
  };
  const { urls, ...rest } = await crawl(`${site}/`, {
    open,
    readRobots: async url => (url.startsWith(`${site}/`) ? (options.robots ?? '') : `User-agent: *\nDisallow: /cart`),
    limits: { ...usualSitemapLimits.links, ...options.limits },
  });
  return { ...rest, opened, paths: urls.map(url => url.replace(site, '')).toSorted() };
}

test('pages are found by links up to three clicks away, on the host of the start page only', async () => {
  const found = await search({
    '/': toLinks('/a', 'b', 'https://other.com/', 'mailto:a@b.c', '/a#part', '/menu.pdf', '/app#/route'),
    '/a': `<base href="/deep/">${toLinks('c')}`,
    '/b': '',
    '/app#/route': '',
    '/deep/c': toLinks('/deep/d'),
    '/deep/d': toLinks('/deep/e'),
  });
  assert.deepEqual(found.paths, ['/', '/a', '/app#/route', '/b', '/deep/c', '/deep/d']);
  assert.deepEqual([found.isComplete, found.fetched], [true, 5]);
});

test('robots.txt, nofollow, and a meta element decide what is followed', async () => {
  const found = await search(
    {
      '/': `${toLinks('/a', '/c', '/cart/1')}<a rel="nofollow sponsored" href="/login">x</a>`,
      '/a': `<meta name="robots" content="noindex, nofollow">${toLinks('/b')}`,
      '/c': `<meta name="robots" content="None">${toLinks('/b')}`,
      '/b': '',
    },
    { robots: 'User-agent: *\nDisallow: /cart' },
  );
  assert.deepEqual([found.paths, found.disallowed], [['/', '/a', '/c'], 1]);
});

test('translations, copies, variants of a query and visits count once', async () => {
  const translations = '<link rel=alternate hreflang=en href="/"><link rel=alternate hreflang=de href="/de/">';
  const found = await search({
    '/':
      translations +
      toLinks(
        '/de/',
        '/a?sort=price',
        '/a',
        '/a?utm_source=x',
        '/b;jsessionid=7F?sid=2',
        '/old',
        '/item?id=1',
        '/item?id=2',
        '/print/a',
      ),
    '/a': '<link rel="canonical" href="https://site.com/a">',
    '/print/a': '<link rel="canonical" href="/a">',
    '/old': { to: '/new' },
    '/new': '',
    '/b': '',
    '/a?sort=price': '',
    '/item?id=1': '',
    '/item?id=2': '',
    '/de/': toLinks('/de/never'),
  });
  assert.deepEqual(found.paths, ['/', '/a', '/b', '/item?id=1', '/item?id=2', '/new']);
  assert.ok(!found.opened.includes('/de/'));
});

test('a page that fails or is no HTML page is no page, and only a failed connection makes the search incomplete', async () => {
  const pages = { '/': toLinks('/gone', '/feed', '/a'), '/a': '', '/feed': '' };
  const found = await search(pages);
  assert.deepEqual([found.paths, found.isComplete], [['/', '/a'], true]);
  const late = { error: new AnalysisError('page_timeout', 'Too late.') };
  assert.equal((await search({ ...pages, '/a': late })).isComplete, false);
  await assert.rejects(search({ '/': late }), /Too late/);
});

test('calendars, sessions and endless paths end', async () => {
  const found = await search(path => {
    const day = Number(/^\/calendar\/(\d+)/.exec(path)?.[1] ?? 0);
    const links = Array.from({ length: 50 }, (_, at) => `/calendar/${day + at + 1}?view=${at}`);
    return toLinks('/about', 'loop/', './deeper/deeper/', ...links, `/s/${Math.random().toString(36).slice(2)}`);
  });
  assert.ok(found.fetched <= 300, `${found.fetched} pages were read`);
  assert.ok(found.paths.includes('/about'));
});

test('limits of pages and reads end the search, which then is incomplete', async () => {
  const pages = (path: string) =>
    toLinks(...Array.from({ length: 20 }, (_, at) => `${path === '/' ? '' : path}/${at}`));
  const few = await search(pages, { limits: { urls: 15 } });
  assert.deepEqual([few.paths.length, few.isComplete], [15, false]);
  const fewReads = await search(pages, { limits: { fetches: 5 } });
  assert.deepEqual([fewReads.fetched, fewReads.isComplete], [5, false]);
  const cut = await search(
    { '/': `${toLinks('/a')}${' '.repeat(500)}${toLinks('/b')}` },
    { limits: { pageCharacters: 300 } },
  );
  assert.deepEqual(cut.paths, ['/']);
});

test('a site that redirects to another host has the pages and the robots.txt of that host', async () => {
  const at = 'https://www.site.com';
  const found = await search(
    {
      '/': { to: `${at}/`, html: toLinks('/a', '/cart/1', `${site}/old`) },
      [`${at}/a`]: '',
    },
    { robots: 'User-agent: *\nDisallow: /a' },
  );
  assert.deepEqual([found.paths, found.disallowed], [[`${at}/`, `${at}/a`], 1]);
});

test('a canonical URL that is no page does not hide the page that names it', async () => {
  const named = (path: string) => `<link rel="canonical" href="${path}">`;
  const found = await search({
    '/': `${named('/home')}${toLinks('/home', '/slash', '/dead')}`,
    '/home': named('/'),
    '/slash': named('/slash/'),
    '/slash/': { to: '/slash' },
    '/dead': named('/nowhere'),
  });
  assert.deepEqual(found.paths, ['/', '/dead', '/slash']);
});

test('a copy of a known translation is no page, and one of a copy counts as the page that this names', async () => {
  const named = (path: string) => `<link rel="canonical" href="${path}">`;
  const found = await search({
    '/': toLinks('/a', '/print/a', '/de/nav/a', '/old/b', '/b', '/old/c', '/c'),
    '/a': '<link rel=alternate hreflang=de href="/de/a">',
    '/print/a': named('/a'),
    '/de/nav/a': named('/de/a'),
    '/old/b': named('/b'),
    '/b': named('/new/b'),
    '/new/b': '',
    '/old/c': named('/c'),
    '/c': named('/dead'),
  });
  assert.deepEqual(found.paths, ['/', '/a', '/c', '/new/b']);
});

test('what a page of another host says about this site does not count', async () => {
  const elsewhere = `<link rel=alternate hreflang=en href="${site}/"><link rel=canonical href="${site}/other">`;
  const found = await search({
    '/': toLinks('/de', '/a'),
    '/de': { to: 'https://site.de/', html: elsewhere + toLinks(`${site}/b`) },
    '/a': '<link rel=alternate hreflang=en href="/a"><link rel=canonical href="https://site.de/a">',
    '/b': '',
    '/other': '',
  });
  assert.deepEqual(found.paths, ['/', '/a']);
});

test('pages that cost a parser or a comparison minutes are read', async () => {
  const deep = `<i>`.repeat(60_000) + '</b>'.repeat(60_000);
  const found = await search({
    '/': `<a href="#/${'a/'.repeat(300_000)}"></a>${toLinks('/nested', '/parameters', '/plain')}`,
    '/nested': `${deep}${'<svg><title></title>'.repeat(20_000)}${'</foreignobject>'.repeat(20_000)}`,
    '/parameters': `<a href="/?${Array.from({ length: 60_000 }, (_, at) => `utm_${at}&a${at}`).join('&')}"></a>`,
    '/plain': `<a rel="${'a '.repeat(500_000)}" href="/last"></a>`,
    '/last': '',
  });
  assert.deepEqual(found.paths, ['/', '/last', '/nested', '/parameters', '/plain']);
});

test('a page whose text is unreadable is a page, and a site that sends too much has the pages so far', async () => {
  const found = await search({ '/': toLinks('/odd'), '/odd': { error: new NotASitemap('its encoding is unknown') } });
  assert.deepEqual([found.paths, found.isComplete], [['/', '/odd'], true]);
  const large = await search({ '/': toLinks('/a'), '/a': { error: new TooLarge('too much') } });
  assert.deepEqual([large.paths, large.isComplete], [['/', '/a'], false]);
});
