/** GET /sitemap: robots.txt, nested and compressed sitemaps, and files that may not be read. No browser here. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Problem } from '../../src/contract/problem.ts';
import type { Sitemap } from '../../src/contract/sitemap.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { assertInvalid, type Invalid, required } from '../support/asking/invalid.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startSecureServer } from '../support/sites/secure-server.ts';
import { startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';

const urlset = (urls: readonly string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map(url => `<url><loc>${url}</loc></url>`).join('\n')}</urlset>`;
const index = (urls: readonly string[]) =>
  `<sitemapindex>${urls.map(url => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
const many = (count: number, base: string) => Array.from({ length: count }, (_, at) => `${base}/page-${at}`);

const site = 'http://site.example.com';
const mega = 1_000_000;

type Send = (response: ServerResponse, request: IncomingMessage) => void;
const xml =
  (body: string | Buffer, headers: Record<string, string> = {}): Send =>
  response =>
    void response.writeHead(200, { 'content-type': 'application/xml', ...headers }).end(body);
const status =
  (code: number, headers: Record<string, string> = {}): Send =>
  response =>
    void response.writeHead(code, headers).end();

const html = (body: string) =>
  xml(`<!doctype html><html>${body}</html>`, { 'content-type': 'text/html; charset=utf-8' });
const toLinks = (...hrefs: string[]) => hrefs.map(href => `<a href="${href}">x</a>`).join('');

const filler = `<url>${' '.repeat(65_536)}</url>`;

/** 80 MB of filler in a few hundred KB, generated on first use. */
let bomb: Buffer | undefined;
const toBomb = (): Buffer => {
  bomb ??= gzipSync(Buffer.concat([Buffer.from('<urlset>'), Buffer.alloc(80 * mega, filler)]), { level: 1 });
  return bomb;
};

/** Responses by host and path. */
const files: Readonly<Record<string, Send>> = {
  'site.example.com/robots.txt': xml(`User-agent: *\nSitemap: ${site}/index.xml\n`, { 'content-type': 'text/plain' }),
  'site.example.com/index.xml': xml(
    index([
      `${site}/one.xml`,
      `${site}/two.xml.gz`,
      `${site}/gone.xml`,
      'http://inside.example.com/sitemap.xml',
      'http://10.1.2.3/sitemap.xml',
      'http://169.254.169.254/latest/meta-data/',
      `${site}/index.xml`,
    ]),
  ),
  'site.example.com/one.xml': xml(
    urlset([`${site}/a`, `${site}/b`, `${site}/a`, 'http://10.0.0.1/admin', 'ftp://site.example.com/x', 'nonsense']),
  ),
  // A gzip file that its server compresses once more.
  'site.example.com/two.xml.gz': xml(gzipSync(gzipSync(urlset([`${site}/c`]))), { 'content-encoding': 'gzip' }),
  'site.example.com/gone.xml': status(404),
  'site.example.com/long.xml': xml(urlset(many(1500, site))),
  'site.example.com/list.txt': xml(many(3, site).join('\n'), { 'content-type': 'text/plain' }),
  'site.example.com/moved.xml': status(301, { location: '/one.xml' }),
  'site.example.com/inside.xml': status(302, { location: 'http://inside.example.com/sitemap.xml' }),
  'site.example.com/loop.xml': status(302, { location: '/loop.xml' }),
  'site.example.com/page.xml': html('<title>No</title>'),
  'links.example.com/robots.txt': xml('User-agent: *\nDisallow: /cart', { 'content-type': 'text/plain' }),
  'links.example.com/sitemap.xml': html('<title>The same page for every URL</title>'),
  'links.example.com/': html(toLinks('/a', '/cart', 'http://inside.example.com/', '/moved', ...many(9, '/item'))),
  'links.example.com/a': html(toLinks('/b')),
  'links.example.com/b': html('A page with links'),
  'links.example.com/moved': status(302, { location: 'http://inside.example.com/secret' }),
  'site.example.com/private.xml': xml(urlset(['http://10.0.0.1/a', 'http://localhost/b'])),
  'site.example.com/none.xml': xml(urlset([])),
  'site.example.com/brotli.xml': xml(brotliCompressSync(urlset([`${site}/a`])), { 'content-encoding': 'br' }),
  'site.example.com/cut.xml': response => {
    response.writeHead(200, { 'content-length': '1000' }).write('<urlset>');
    setImmediate(() => response.destroy());
  },
  'site.example.com/bomb.xml.gz': response => void response.writeHead(200).end(toBomb()),
  'site.example.com/endless.xml': (response, request) => {
    const more = () => {
      while (!request.destroyed && response.write(filler));
    };
    response.on('drain', more).on('error', () => {});
    response.writeHead(200).write('<urlset>');
    more();
  },
  'odd.example.com/': xml('<h1>x</h1>', { 'content-type': 'text/html; charset=klingon' }),
  'shut.example.com/': html(toLinks('/a')),
  'shut.example.com/robots.txt': xml('User-agent: *\nDisallow: /', { 'content-type': 'text/plain' }),
  'failing.example.com/': html(toLinks('/a')),
  'failing.example.com/robots.txt': status(503),
  'bare.example.com/sitemap.xml': xml(urlset(['http://bare.example.com/'])),
};

const server = await startLocalServer({ after }, (request, response) => {
  const { host, pathname } = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const send = files[`${host}${pathname}`] ?? status(404);
  send(response, request);
});
const port = Number(new URL(server.url).port);
const network = createOwnNetwork(
  {
    'site.example.com': ['93.184.216.34'],
    'bare.example.com': ['93.184.216.34'],
    'empty.example.com': ['93.184.216.34'],
    'links.example.com': ['93.184.216.34'],
    'odd.example.com': ['93.184.216.34'],
    'shut.example.com': ['93.184.216.34'],
    'failing.example.com': ['93.184.216.34'],
    'inside.example.com': ['10.9.9.9'],
    'dead.example.com': ['93.184.216.35'],
  },
  { '93.184.216.34': port, '10.9.9.9': port, '10.1.2.3': port, '169.254.169.254': port },
);
const service = await startService({ after }, { TARGETS: 'public' }, network);
const read = (url: string) => ask<Sitemap>(service, withQuery('/sitemap', { url }));
const refuse = async (url: string) => {
  const { status: code, body } = await ask<Problem>(service, withQuery('/sitemap', { url }));
  return { status: code, code: body.code, detail: body.detail, pageStatus: body.page_status };
};

test('a site URL leads through robots.txt to its sitemaps, nested and compressed', async () => {
  const { status: code, body } = await read('http://site.example.com');
  assert.equal(code, 200);
  assert.equal(body.url, `${site}/`);
  assert.deepEqual(body.urls, [`${site}/a`, `${site}/b`, `${site}/c`]);
  assert.deepEqual(body.skipped, { not_allowed: 1, invalid: 2, repeated: 1 });
  assert.equal(body.is_complete, false);
});

test('private addresses in a sitemap are blocked as for pages, and never dialled', async () => {
  network.dialled.length = 0;
  const { body } = await read(`${site}/index.xml`);
  assert.deepEqual(
    body.failures.map(({ url }) => url),
    [
      `${site}/gone.xml`,
      'http://inside.example.com/sitemap.xml',
      'http://10.1.2.3/sitemap.xml',
      'http://169.254.169.254/latest/meta-data/',
    ],
  );
  const [gone, ...inside] = body.failures.map(({ detail }) => detail);
  assert.match(gone ?? '', /status 404/);
  for (const detail of inside) assert.match(detail, /private address|metadata|link-local|cannot|could not/);
  assert.deepEqual(new Set(network.dialled), new Set(['93.184.216.34 80']));
  const redirected = await refuse(`${site}/inside.xml`);
  assert.deepEqual([redirected.status, redirected.code], [403, 'target_forbidden']);
  assert.deepEqual(new Set(network.dialled), new Set(['93.184.216.34 80']));
});

test('a URL that no page may have is rejected before anything is looked up', async () => {
  network.lookups.length = 0;
  for (const url of [
    'http://127.0.0.1/sitemap.xml',
    'http://localhost/',
    'http://[fd00::1]/',
    'http://169.254.169.254/',
  ])
    assert.equal((await refuse(url)).code, 'target_forbidden', url);
  assert.deepEqual(network.lookups, []);
  assert.equal((await refuse('http://inside.example.com/sitemap.xml')).code, 'target_forbidden');
});

test('at most 1,000 pages are listed, and the answer says that there are more', async () => {
  const { body } = await read(`${site}/long.xml`);
  assert.deepEqual([body.urls.length, body.is_complete], [1000, false]);
  assert.equal(body.urls[999], `${site}/page-999`);
});

test('without robots.txt the default location is read; a redirect is followed; a plain text list is read', async () => {
  const bare = await read('http://bare.example.com/');
  assert.deepEqual([bare.body.urls, bare.body.is_complete], [['http://bare.example.com/'], true]);
  assert.equal((await read(`${site}/moved.xml`)).body.urls.length, 2);
  assert.deepEqual((await read(`${site}/list.txt`)).body.urls, many(3, site));
});

test('a site without a sitemap is searched by its links, and never beyond what a page may reach', async () => {
  network.dialled.length = 0;
  const base = 'http://links.example.com';
  const { body } = await read(base);
  assert.deepEqual(
    body.urls.filter(url => !url.includes('page-')),
    [`${base}/`, `${base}/a`, `${base}/b`],
  );
  assert.deepEqual([body.found, body.links?.disallowed, body.sitemaps], [3, 1, []]);
  assert.deepEqual(new Set(network.dialled), new Set(['93.184.216.34 80']));
  assert.deepEqual((await read(`${base}/a`)).body.urls, [`${base}/a`, `${base}/b`]);
});

test('a sample has the same pages of each route template each time', async () => {
  const sample = async () =>
    (await ask<Sitemap>(service, withQuery('/sitemap', { url: `${site}/long.xml`, sample: '3' }))).body;
  const first = await sample();
  assert.deepEqual(first.templates, [{ template: `${site}/page-*`, pages: 1500 }]);
  assert.deepEqual([first.urls.length, first.found, first.is_complete], [3, 1500, true]);
  assert.deepEqual((await sample()).urls, first.urls);
  assert.equal((await ask(service, withQuery('/sitemap', { url: site, sample: '0' }))).status, 422);
});

for (const [url, expected, words] of [
  ['http://empty.example.com/', [502, 'sitemap_not_found'], /robots\.txt of empty\.example\.com lists no sitemap/],
  ['http://empty.example.com/robots.txt', [502, 'page_error'], /status 404/],
  [`${site}/gone.xml`, [502, 'page_error'], /status 404/],
  [`${site}/page.xml`, [502, 'sitemap_invalid'], /it is an HTML page/],
  [`${site}/brotli.xml`, [502, 'sitemap_invalid'], /neither XML nor a list/],
  [`${site}/private.xml`, [502, 'sitemap_empty'], /lists 2 pages, but TARGETS allows none of them/],
  [`${site}/none.xml`, [502, 'sitemap_empty'], /lists no pages/],
  [`${site}/loop.xml`, [502, 'too_many_redirects'], /more than 5 times/],
  [`${site}/cut.xml`, [502, 'page_unreachable'], /does not respond/],
  [`${site}/bomb.xml.gz`, [502, 'sitemap_too_large'], /unpacked, they are more than 60 MB/],
  [`${site}/endless.xml`, [502, 'sitemap_too_large'], /they are more than 20 MB/],
  ['http://odd.example.com/', [502, 'sitemap_invalid'], /encoding klingon is unknown/],
  ['http://shut.example.com/', [502, 'sitemap_empty'], /robots\.txt of shut\.example\.com disallows/],
  ['http://failing.example.com/', [502, 'sitemap_not_found'], /robots\.txt returned status 503/],
  ['http://nowhere.example.com/', [502, 'page_unreachable'], /does not resolve/],
  ['http://dead.example.com/sitemap.xml', [502, 'page_unreachable'], /could not be loaded/],
  ['https://site.example.com/one.xml', [502, 'page_insecure'], /HTTPS connection failed/],
] as const)
  test(`${url}: ${expected[1]}`, async () => {
    const { status: code, ...problem } = await refuse(url);
    assert.deepEqual([code, problem.code], expected, problem.detail);
    assert.match(problem.detail, words);
  });

test('slow sites of one client do not make another client wait', async t => {
  const keyed = await startService(t, { TARGETS: '127.0.0.1', API_KEYS: 'key-of-client-one,key-of-client-two' });
  const silent = await startLocalServer(t, () => {});
  const quick = await startLocalServer(t, (_, response) => xml(urlset([`${quick.url}/a`]))(response, _));
  const readAs = (key: string, base: string) =>
    ask<Sitemap>(keyed, withQuery('/sitemap', { url: `${base}/sitemap.xml` }), { headers: { 'x-api-key': key } });
  let ended = 0;
  const slow = Array.from({ length: 6 }, () => readAs('key-of-client-one', silent.url).finally(() => (ended += 1)));
  await readAs('key-of-client-one', silent.url.replace('127.0.0.1', '127.0.0.2'));
  assert.deepEqual((await readAs('key-of-client-two', quick.url)).body.urls, [`${quick.url}/a`]);
  assert.equal(ended, 0);
  await keyed.close(0);
  await Promise.allSettled(slow);
});

test('the URL of a sitemap is validated like that of a page', async () => {
  assertInvalid(await ask<Invalid>(service, '/sitemap'), [required('query', 'url')]);
  assert.equal((await ask(service, withQuery('/sitemap', { url: 'mailto:x' }))).status, 422);
});

test("in the real service's thread, a private address is blocked, and an allowed one is read", async t => {
  const real = await startService(t, { TARGETS: '127.0.0.1' });
  const target = (base: string) => withQuery('/sitemap', { url: `${base}/sitemap.xml` });
  const own = await startLocalServer(t, (_, response) => xml(urlset([`${own.url}/a`]))(response, _));
  const { body } = await ask<Sitemap>(real, target(own.url));
  assert.deepEqual(body.urls, [`${own.url}/a`]);
  const forbidden = await ask<Problem>(real, target(own.url.replace('127.0.0.1', '127.0.0.2')));
  assert.equal(forbidden.body.code, 'target_forbidden');
});

test('an untrusted certificate is rejected, a trusted one accepted', async t => {
  const body = urlset(['https://a.example.com/']);
  const secure = await startSecureServer(t, body);
  const real = await startService(t, { TARGETS: '127.0.0.1' });
  const target = withQuery('/sitemap', { url: `${secure.url}sitemap.xml` });
  assert.equal((await ask<Problem>(real, target)).body.code, 'page_insecure');
  const usual = getCACertificates();
  setDefaultCACertificates([...usual, secure.certificate]);
  t.after(() => setDefaultCACertificates(usual));
  assert.deepEqual((await ask<Sitemap>(real, target)).body.urls, ['https://a.example.com/']);
});
