import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { findPages } from './find-pages.ts';
import type { OpenFile } from './read-file.ts';
import { createBudget, readText, type SitemapLimits, usualSitemapLimits } from './unpack.ts';

const site = 'https://site.com';
const urlset = (...names: string[]) =>
  `<urlset>${names.map(name => `<url><loc>${site}/${name}</loc></url>`).join('')}</urlset>`;
const index = (...names: string[]) =>
  `<sitemapindex>${names.map(name => `<sitemap><loc>${name}</loc></sitemap>`).join('')}</sitemapindex>`;

type Files = Readonly<Record<string, string | AnalysisError>>;
const gone = new AnalysisError('page_error', 'It returned status 404.', { pageStatus: 404 });
const late = new AnalysisError('page_timeout', 'Too late.');

function find(href: string, files: Files, limits: Partial<SitemapLimits> = {}) {
  const opened: string[] = [];
  const open: OpenFile = async url => {
    opened.push(url.replace(site, ''));
    const file = files[url.replace(site, '')] ?? gone;
    if (file instanceof Error) throw file;
    async function* text() {
      yield* file as string;
    }
    return { url, isHtml: false, text: text(), close: () => {} };
  };
  const policy = { judgeUrl: () => ({ allowed: true }) as const };
  const found = findPages(href, { open, policy, limits: { ...usualSitemapLimits, ...limits } });
  return { opened, found };
}

const namesOf = ({ urls }: { urls: readonly string[] }) => urls.map(url => url.replace(`${site}/`, ''));
const codeOf = (found: Promise<unknown>) =>
  found.then(
    () => 'found',
    error => (error instanceof AnalysisError ? error.code : String(error)),
  );

test('sitemaps in robots.txt precede the default location, and nested sitemaps follow', async () => {
  const { opened, found } = find(site, {
    '/robots.txt': `Sitemap: /b.xml\nSitemap: ${site}/a.xml`,
    '/a.xml': index('/c.xml', '/b.xml', '/a.xml'),
    '/b.xml': urlset('1', '2'),
    '/c.xml': urlset('2', '3'),
  });
  const sitemap = await found;
  assert.deepEqual(opened, ['/robots.txt', '/b.xml', '/a.xml', '/c.xml']);
  assert.deepEqual(namesOf(sitemap), ['1', '2', '3']);
  assert.deepEqual(
    sitemap.sitemaps.map(({ urls }) => urls),
    [2, 0, 1],
  );
  assert.deepEqual([sitemap.is_complete, sitemap.skipped.repeated], [true, 1]);
});

test('each limit ends the reading, and the answer says that there are more pages', async () => {
  const files = {
    '/1.xml': index('/2.xml', '/3.xml'),
    '/2.xml': urlset('1', '2'),
    '/3.xml': index('/4.xml'),
    '/4.xml': urlset('3'),
  };
  for (const [limits, names] of [
    [{ urls: 1 }, ['1']],
    [{ files: 2 }, ['1', '2']],
    [{ depth: 2 }, ['1', '2']],
  ] as const) {
    const sitemap = await find(`${site}/1.xml`, files, limits).found;
    assert.deepEqual([namesOf(sitemap), sitemap.is_complete], [names, false], JSON.stringify(limits));
  }
  assert.equal((await find(`${site}/1.xml`, files).found).is_complete, true);
  assert.equal((await find(`${site}/2.xml`, files, { urls: 2 }).found).is_complete, true, 'just as many');
});

test('a failed sitemap does not fail the others, and a late one ends the reading with the pages so far', async () => {
  const files = { '/1.xml': index('/2.xml', '/3.xml', '/4.xml'), '/3.xml': urlset('1'), '/4.xml': urlset('2') };
  const withGone = await find(`${site}/1.xml`, files).found;
  assert.deepEqual([namesOf(withGone), withGone.failures.length, withGone.is_complete], [['1', '2'], 1, false]);
  const withLate = find(`${site}/1.xml`, { ...files, '/2.xml': urlset('0'), '/3.xml': late });
  assert.deepEqual(namesOf(await withLate.found), ['0']);
  assert.deepEqual(withLate.opened, ['/1.xml', '/2.xml', '/3.xml']);
});

test('the reason why there is nothing to measure is reported', async () => {
  for (const [href, files, code] of [
    [site, {}, 'sitemap_not_found'],
    [site, { '/robots.txt': late }, 'page_timeout'],
    [site, { '/robots.txt': 'Sitemap: /x.xml' }, 'page_error'],
    [`${site}/robots.txt`, {}, 'page_error'],
    [`${site}/x.xml`, {}, 'page_error'],
    [`${site}/x.xml`, { '/x.xml': '<html></html>' }, 'sitemap_invalid'],
    [`${site}/x.xml`, { '/x.xml': urlset() }, 'sitemap_empty'],
    [`${site}/x.xml`, { '/x.xml': index('/y.xml') }, 'page_error'],
    [`${site}/x.xml`, { '/x.xml': '<urlset><url><loc>no</loc></url></urlset>' }, 'sitemap_empty'],
  ] as const)
    assert.equal(await codeOf(find(href, files).found), code, `${href} ${JSON.stringify(files)}`);
});

test('links are not followed if robots.txt fails, but sitemaps are read', async () => {
  const failed = new AnalysisError('page_error', 'It returned status 503.', { pageStatus: 503 });
  const files = { '/robots.txt': failed, '/': '<html></html>', '/a': '<html></html>' };
  const said = { code: 'sitemap_not_found', pageStatus: 503, message: /site\.com are not followed, .* status 503/ };
  for (const path of ['/', '/a']) await assert.rejects(find(site + path, files).found, said);
  const sitemap = await find(`${site}/`, { ...files, '/sitemap.xml': urlset('1') }).found;
  assert.deepEqual(namesOf(sitemap), ['1']);
});

test('a relative address is resolved, and sitemaps nested too deep are named', async () => {
  const relative = await find(`${site}/1.xml`, {
    '/1.xml': '<urlset><url><loc>/a</loc></url><url><loc>?b</loc></url></urlset>',
  }).found;
  assert.deepEqual(namesOf(relative), ['a', '1.xml?b']);
  const files = { '/1.xml': index('/2.xml'), '/2.xml': index('/3.xml'), '/3.xml': urlset('1') };
  await assert.rejects(find(`${site}/1.xml`, files, { depth: 2 }).found, /nested deeper than 2 levels are not read/);
});

test('declared encodings are decoded, and a page that cannot be is left out', async () => {
  const budget = createBudget(10_000, 'they');
  const budgets = { received: budget, between: budget, unpacked: budget };
  const read = async (bytes: Buffer, charset?: string) => {
    async function* chunks() {
      yield bytes.subarray(0, 3);
      yield bytes.subarray(3);
    }
    let text = '';
    for await (const piece of readText(chunks(), budgets, charset)) text += piece;
    return text;
  };
  const xml = (encoding: string) =>
    `<?xml version="1.0" encoding="${encoding}"?><urlset><url><loc>${site}/é</loc></url></urlset>`;
  for (const [encoding, bytes] of [
    ['windows-1252', Buffer.from(xml('windows-1252'), 'latin1')],
    ['ISO-8859-1', Buffer.from(xml('ISO-8859-1'), 'latin1')],
    ['UTF-16', Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le')],
    ['UTF-16', Buffer.from(`\ufeff${xml('UTF-16')}`, 'utf16le').swap16()],
    ['UTF-8', Buffer.from(xml('UTF-8'))],
  ] as const)
    assert.equal(await read(bytes), xml(encoding), encoding);
  const plain = Buffer.from(`${site}/é`, 'latin1');
  assert.equal(await read(plain, 'latin1'), `${site}/é`);
  await assert.rejects(read(Buffer.from(xml('klingon'))), /its encoding klingon is unknown/);
  const found = await find(`${site}/1.xml`, { '/1.xml': `${site}/a\n${await read(plain)}` }).found;
  assert.deepEqual([namesOf(found), found.skipped.invalid], [['a'], 1]);
});
