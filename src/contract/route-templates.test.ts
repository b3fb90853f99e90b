import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleOf, toRouteTemplates } from './route-templates.ts';

const site = 'https://site.example';
const listOf = (count: number, toPath: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => site + toPath(at));
const templatesOf = (urls: readonly string[]) =>
  toRouteTemplates(urls)
    .map(({ template, urls: pages }) => `${template.replace(site, '')} ${pages.length}`)
    .toSorted();

const names =
  'ash beech birch cedar elm fir hazel larch lime maple oak pine plum rowan spruce willow yew alder acacia sorb';
const trees = names.split(' ');
const title = (at: number) => `the-${trees[at % 20]}-${trees[(at >> 2) % 20]}-${trees[at >> 5]}`;

for (const [what, urls, expected] of [
  ['numbers', listOf(9, at => `/item/${at * 17}`), ['/item/* 9']],
  ['titles', listOf(20, at => `/blog/2026/0${at % 9}/${title(at)}`), ['/blog/*/*/* 20']],
  ['words', [`${site}/`, ...listOf(9, at => `/tag/${trees[at]}`)], ['/ 1', '/tag/* 9']],
  ['few words are pages of their own', listOf(2, at => `/${trees[at]}`), ['/ash 1', '/beech 1']],
  [
    'sections at the top, and a start page',
    [`${site}/`, ...['shop', 'news', 'help'].flatMap(name => listOf(10, at => `/${name}/${title(at)}`))],
    ['/ 1', '/help/* 10', '/news/* 10', '/shop/* 10'],
  ],
  [
    'sections of each language',
    ['en', 'pt-br'].flatMap(name => listOf(80, at => `/${name}/${trees[at % 10]}/${title(at)}`)),
    ['en', 'pt-br'].flatMap(name => trees.slice(0, 10).map(tree => `/${name}/${tree}/* 8`)),
  ],
  [
    'pages below variable pages',
    listOf(10, at => `/p/${title(at)}${at % 2 ? '/reviews' : ''}`),
    ['/p/* 5', '/p/*/reviews 5'],
  ],
  ['categories', [`${site}/`, ...listOf(40, at => `/shop/${trees[at % 10]}/${title(at)}`)], ['/ 1', '/shop/*/* 40']],
  ['accounts at the top', listOf(60, at => `/${trees[at % 20]}/${title(at)}`), ['/*/* 60']],
  [
    'a kind next to a number',
    [...listOf(9, at => `/item-${at}.html`), ...listOf(9, at => `/page-${at}.html`)],
    ['/item-*.html 9', '/page-*.html 9'],
  ],
  [
    'a letter next to a number',
    listOf(18, at => `/${title(at)}-${at % 2 ? 'c' : 'p'}${at}.html`),
    ['/*-c*.html 9', '/*-p*.html 9'],
  ],
  ['names that end with a number', listOf(60, at => `/u/${trees[at % 20]}${trees[(at + 3) % 20]}${at}`), ['/u/* 60']],
  ['queries', listOf(18, at => `/?id=${at}&kind=${at % 2 ? 'a' : 'b'}`), ['/?id=*&kind=a 9', '/?id=*&kind=b 9']],
  ['routes after a #', listOf(9, at => `/app#/orders/${at}`), ['/app/#/orders/* 9']],
] as const)
  test(`route templates are learned: ${what}`, () => {
    assert.deepEqual(templatesOf(urls), expected.toSorted());
  });

test('each host has its own templates, those with the most pages first', () => {
  const urls = [...listOf(6, at => `/a/${at}`), ...listOf(9, at => `/a/${at}`).map(url => url.replace('site', 'shop'))];
  assert.deepEqual(
    toRouteTemplates(urls).map(({ template }) => template),
    ['https://shop.example/a/*', `${site}/a/*`],
  );
});

test('a sample is the same in any order, and keeps most pages when others are added', () => {
  const [template] = toRouteTemplates(listOf(200, at => `/item/${at}`));
  assert.ok(template);
  const sample = sampleOf(template, 10);
  assert.deepEqual(sampleOf({ ...template, urls: template.urls.toReversed() }, 10), sample);
  const [larger] = toRouteTemplates(listOf(220, at => `/item/${at}`));
  const later = larger && sampleOf(larger, 10);
  assert.ok(sample.filter(url => later?.includes(url)).length >= 7);
  assert.equal(sampleOf(template, 500).length, 200);
});

test('planted sites of 5,000 pages in 40 templates: at least 38 are found as one template each', () => {
  const parts = ['product', 'blog', 'help', 'brand', 'city', 'events', 'forum', 'gallery', 'wiki', 'author'];
  const forms = [title, (at: number) => `${at * 31}`, (at: number) => `${trees[at % 20]}${trees[(at >> 2) % 20]}`];
  const planted = new Map<string, string>();
  for (const [section, name] of parts.entries())
    for (let at = 0; at < 125; at += 1) {
      const own = forms[section % 3] ?? title;
      const slug = `${own(at)}${section % 3 === 1 ? '' : `-${at}`}`;
      planted.set(`${site}/${name}/${slug}`, `${name} page`);
      planted.set(`${site}/${name}/${slug}/photos`, `${name} photos`);
      planted.set(`${site}/${name}/archive/20${10 + (at % 15)}/${at}`, `${name} archive`);
      planted.set(`${site}/${name}?page=${at}`, `${name} list`);
    }
  const found = toRouteTemplates([...planted.keys()]);
  const kinds = new Set(planted.values());
  const isOne = (kind: string): boolean => {
    const holding = found.filter(({ urls }) => urls.some(url => planted.get(url) === kind));
    return holding.length === 1 && (holding[0]?.urls.every(url => planted.get(url) === kind) ?? false);
  };
  assert.equal(kinds.size, 40);
  assert.ok([...kinds].filter(isOne).length >= 38, String([...kinds].filter(kind => !isOne(kind))));
});

test('a URL with a thousand segments or parameters takes no more memory than one with twenty', () => {
  const deep = `${site}${'/s'.repeat(20)}`;
  const paths = listOf(30, at => `${'/s'.repeat(20)}/left/${at}/right${'/s'.repeat(900)}`);
  assert.deepEqual(
    toRouteTemplates(paths).map(({ template }) => template),
    [`${deep}/*`],
  );
  const query = Array.from({ length: 20 }, (_, at) => `p${at}=1`).join('&');
  const queries = listOf(3, at => `/?${query}&${'more=1&'.repeat(200)}last${at}=1`);
  assert.equal(toRouteTemplates(queries).length, 1);
});
