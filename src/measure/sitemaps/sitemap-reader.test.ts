import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readRobots } from './read-file.ts';
import { createSitemapReader, NotASitemap } from './sitemap-reader.ts';

/** @param size of the pieces that it comes in */
function read(text: string, size = text.length): string[] {
  const found: string[] = [];
  const reader = createSitemapReader((kind, address) => found.push(`${kind} ${address}`));
  for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size));
  reader.end();
  return found;
}

const urlset = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${inside}</urlset>`;

test('pages of a sitemap and sitemaps of an index are read, whatever else is in them', () => {
  const pictures = '<image:image xmlns:image="urn:i"><image:loc>https://a.test/p.png</image:loc></image:image>';
  const text = urlset(
    `<url><loc> https://a.test/?a=1&amp;b=2 </loc><lastmod>2026-01-01</lastmod>${pictures}</url><!-- -->
     <url><loc><![CDATA[https://a.test/<x>]]></loc></url><url><priority>1</priority></url><url><loc/></url>`,
  );
  assert.deepEqual(read(text), ['page https://a.test/?a=1&b=2', 'page https://a.test/<x>', 'page ']);
  assert.deepEqual(read('<sitemapindex><sitemap><loc>https://a.test/1.xml</loc></sitemap></sitemapindex>'), [
    'sitemap https://a.test/1.xml',
  ]);
  assert.deepEqual(read('<s:urlset xmlns:s="urn:s"><s:url><s:loc>https://a.test/</s:loc></s:url></s:urlset>'), [
    'page https://a.test/',
  ]);
});

test('RSS and Atom list pages, and the address of a picture is none', () => {
  const rss = '<rss xmlns:atom="urn:a"><channel><link>https://a.test/</link><atom:link href="/self"/>';
  assert.deepEqual(read(`${rss}<item><link>https://a.test/1</link><atom:link href="/x"/></item></channel></rss>`), [
    'page https://a.test/1',
  ]);
  const entry = '<entry><link rel="edit" href="/e"/><link href=" https://a.test/2 "/></entry>';
  assert.deepEqual(read(`<feed xmlns="urn:a"><link href="/"/>${entry}</feed>`), ['page https://a.test/2']);
  assert.deepEqual(read(urlset('<url><loc>https://a.test/</loc><image:loc>https://a.test/p.png</image:loc></url>')), [
    'page https://a.test/',
  ]);
});

test('a sitemap is read the same however it is split', () => {
  const text = urlset('<url><loc>https://a.test/&#x31;</loc></url><url><loc>https://a.test/2</loc></url>');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: text.length }), size => {
      assert.deepEqual(read(text, size), ['page https://a.test/1', 'page https://a.test/2']);
    }),
  );
});

test('a plain text sitemap has one URL a line', () => {
  assert.deepEqual(read('\n https://a.test/1\r\nhttps://a.test/2\n\nnot one\nhttps://a.test/3', 7), [
    ...['1', '2'].map(name => `page https://a.test/${name}`),
    'page not one',
    'page https://a.test/3',
  ]);
});

const bomb = `<!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>${urlset('<url><loc>https://a.test/&b;</loc></url>')}`;
const outside = `<!DOCTYPE urlset [<!ENTITY f SYSTEM "file:///etc/hostname">]>${urlset('<url><loc>https://a.test/&f;</loc></url>')}`;

for (const [what, text, words] of [
  ['an HTML page', '<!doctype html><html><body>No</body></html>', /HTML page/],
  ['another kind of XML', '<svg version="1.1"></svg>', /its root is <svg>/],
  ['JSON', '{"urls": []}', /neither XML nor a list/],
  ['nothing', '  \n ', /it is empty/],
  ['a file that ends too early', urlset('<url>').slice(0, -9), /not well-formed/],
  ['tags that do not match', urlset('<url><loc>x</url></loc>'), /not well-formed/],
  ['entities that name entities', bomb, /not well-formed/],
  ['an entity that names a file', outside, /not well-formed/],
  ['a text without end', urlset(`<url><loc>${'x'.repeat(1_200_000)}`), /more than 1 MB/],
  ['a tag without end', `<urlset ${'a="1" '.repeat(200_000)}`, /more than 1 MB|not well-formed/],
  ['tags in tags', urlset('<x>'.repeat(100)), /too deep/],
] as const)
  test(`${what} is rejected`, () => {
    assert.throws(
      () => read(text, 65_536),
      (error: Error) => error instanceof NotASitemap && words.test(error.message),
    );
  });

test('any input gives entries or a reader error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map(urlset),
        fc.string().map(text => `<${text}`),
      ),
      text => {
        try {
          read(text, 3);
        } catch (error) {
          assert.ok(error instanceof NotASitemap, String(error));
        }
      },
    ),
  );
});

test('robots.txt lists sitemaps in any spelling, absolute or not, each once', () => {
  const text = [
    'User-agent: *\r\nDisallow: /\r\nSitemap: https://a.test/1.xml',
    'SITEMAP:https://b.test/2.xml # both',
    '  sitemap : /3.xml.gz',
    'Sitemap: https://a.test/1.xml',
    'Sitemaps: https://a.test/no.xml',
    '# Sitemap: https://a.test/no.xml',
    'Sitemap: http://[',
  ].join('\n');
  assert.deepEqual(readRobots(text, 'https://a.test/robots.txt'), [
    'https://a.test/1.xml',
    'https://b.test/2.xml',
    'https://a.test/3.xml.gz',
  ]);
});
