import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryNames } from '../contract/names.ts';
import { readSitemap, sitemapIn, toSitemapAddress, toSource } from './sitemap.ts';

const request = {
  urls: ['https://harbour.example/'],
  backend: 'compare',
  strategy: 'both',
  categories: ['seo'],
  label: 'build-42',
} as const;

test('a URL describes what is read and how it is measured, and parsing returns it', () => {
  const address = toSitemapAddress({ request });
  assert.match(address, /^\?sitemap=https/);
  assert.deepEqual(sitemapIn({ search: address }, 'local'), { request, sample: undefined });
  assert.equal(sitemapIn({ search: toSitemapAddress({ request, sample: 3 }) }, 'local')?.sample, 3);
  assert.deepEqual(sitemapIn({ search: '?sitemap=harbour.example' }, 'local')?.request, {
    urls: ['https://harbour.example'],
    backend: 'local',
    strategy: 'mobile',
    categories: categoryNames,
  });
  for (const search of ['', '?sitemap=', '?url=https://a.test'])
    assert.equal(sitemapIn({ search }, 'local'), undefined);
});

test('an invalid answer is not a sitemap', async () => {
  const { signal } = new AbortController();
  const answers = [{ urls: [], skipped: {}, templates: [] }, { detail: 'x' }].map(body =>
    readSitemap('https://a.test/', { signal, fetch: (async () => Response.json(body)) as typeof fetch }),
  );
  assert.deepEqual(
    (await Promise.all(answers)).map(({ ok }) => ok),
    [true, false],
  );
});

test('a page leads to the sitemap of its site, and a sitemap is read itself', () => {
  for (const address of ['https://a.test', 'https://a.test/', 'https://a.test/x/y.html?z=1#w', 'https://a.test/about'])
    assert.equal(toSource(address), 'https://a.test/');
  for (const address of [
    ...['https://a.test/sitemap.xml', 'https://a.test/robots.txt', 'https://a.test/pages.xml.gz'],
    ...['https://a.test/wp-sitemap', 'https://a.test/?sitemap=1', 'not an address', 'mailto:x@a.test'],
  ])
    assert.equal(toSource(address), address);
});
