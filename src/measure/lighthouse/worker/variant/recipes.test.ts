import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Recipe } from '../../../../contract/experiments/request.ts';
import { changeDocument, changeFontDisplay } from './recipes.ts';

const url = 'https://shop.example/list?page=2';
const toRecipe = (name: Recipe['name'], changes: Partial<Recipe> = {}): Recipe => ({
  name,
  url: null,
  value: null,
  find: null,
  replace: null,
  ...changes,
});
const change = (text: string, recipe: Recipe) => {
  const changed = changeDocument(Buffer.from(text).toString('latin1'), recipe, url);
  return { ...changed, text: Buffer.from(changed.text, 'latin1').toString() };
};

test('defer and async change scripts with a URL, once, and remove the other attribute', () => {
  const page = '<script async src="/a.js"></script><script>"<script src=b.js>"</script><script src=c.js></script>';
  assert.deepEqual(change(page, toRecipe('defer')), {
    text: '<script defer src="/a.js"></script><script>"<script src=b.js>"</script><script defer src=c.js></script>',
    count: 2,
  });
  const one = change(page, toRecipe('async', { url: 'example/c.js' }));
  assert.deepEqual([one.count, one.text.endsWith('<script async src=c.js></script>')], [1, true]);
});

test('an element in a comment, a style or a script is text', () => {
  const page = `<!-- <img src="a.png"> --><style>/* <img src="a.png"> */</style><script>'<img src="a.png">'</script>`;
  assert.deepEqual(change(page, toRecipe('lazy-loading')), { text: page, count: 0 });
});

test('images and frames load lazily or eagerly, whatever their attributes were', () => {
  const page = '<img src="a.png" alt=\'1 > "0"\' loading=eager><iframe src="/f?a=1&amp;b=2"></iframe><img>';
  assert.deepEqual(change(page, toRecipe('lazy-loading')), {
    text: '<img loading="lazy" src="a.png" alt=\'1 > "0"\'><iframe loading="lazy" src="/f?a=1&amp;b=2"></iframe><img>',
    count: 2,
  });
  assert.equal(change(page, toRecipe('eager-loading', { url: '/f?a=1&b=2' })).count, 1);
});

test('a relative URL is resolved against the base element of the document', () => {
  const page = '<base href="https://cdn.example/x/"><img src="é.png">';
  assert.equal(change(page, toRecipe('fetch-priority', { url: 'cdn.example/x/%C3%A9.png' })).count, 1);
  const low = change(page, toRecipe('fetch-priority', { value: 'low' }));
  assert.ok(low.text.endsWith('<img fetchpriority="low" src="é.png">'), low.text);
});

test('a preload is first in the head, wherever the head begins, with a type guessed from its URL', () => {
  const preload = (page: string, address: string, value: string | null = null) =>
    change(page, toRecipe('preload', { url: address, value })).text;
  const font = '<link rel="preload" as="font" href="https://a.example/f.woff2" crossorigin>';
  const starts = ['<!doctype html><html lang="en"><head>', '<html>', '<!doctype html>', ''];
  for (const start of starts)
    assert.equal(preload(`${start}<title>é</title>`, 'https://a.example/f.woff2'), `${start}${font}<title>é</title>`);
  assert.match(preload('', 'https://a.example/?"', 'image'), /as="image" href="https:\/\/a\.example\/\?&quot;">/);
  assert.match(preload('', 'https://a.example/a.webp'), /as="image"/);
  assert.deepEqual(change('<p>', toRecipe('preload', { url: 'https://a.example/x' })), { text: '<p>', count: 0 });
});

test('a preload has the credentials mode of the request that uses it', () => {
  const own = 'https://shop.example/a';
  const startOf = (page: string, address: string, value: string | null = null) =>
    change(page, toRecipe('preload', { url: address, value })).text.replace(page, '');
  assert.match(startOf('<p>', own, 'fetch'), /as="fetch" href="https:\/\/shop\.example\/a" crossorigin>$/);
  assert.match(startOf('<script src="/a.js"></script>', `${own}.js`), /a\.js">$/);
  assert.match(startOf('<script type="module" src="/a.js"></script>', `${own}.js`), /a\.js" crossorigin>$/);
  assert.match(
    startOf('<base href="/x/"><img crossorigin="use-credentials" src="../a.png">', `${own}.png`),
    /a\.png" crossorigin="use-credentials">$/,
  );
});

test('text of the document is replaced everywhere, and no other byte changes', () => {
  const recipe = toRecipe('find-and-replace', { find: 'größer', replace: '$&' });
  assert.deepEqual(change('größer, größer', recipe), { text: '$&, $&', count: 2 });
  const bytes = Buffer.from([0x3c, 0x70, 0x3e, 0xe9, 0xff, 0x00]).toString('latin1');
  assert.equal(changeDocument(bytes, recipe, url).text, bytes);
});

test('text is not replaced so often, or by so much, that the document grows without limit', () => {
  const letters = 'a'.repeat(1_000_000);
  const grows = toRecipe('find-and-replace', { find: 'a', replace: 'b'.repeat(8192) });
  assert.deepEqual(change(letters, grows), { text: letters, count: 0 });
  const few = 'a'.repeat(3000);
  assert.deepEqual(change(few, grows), { text: few, count: 0 });
  const shrinks = toRecipe('find-and-replace', { find: 'aa', replace: '' });
  assert.deepEqual(change(letters, shrinks), { text: letters, count: 0 });
  assert.deepEqual(change('a'.repeat(2000), shrinks), { text: '', count: 1000 });
});

test('each font gets its font-display, in a stylesheet and in an inline style', () => {
  const css = '@font-face { font-family: A; font-display: block; src: url(a) } p { color: red }';
  const swapped = '@font-face { font-family: A;  src: url(a) ;font-display:swap} p { color: red }';
  assert.deepEqual(changeFontDisplay(css, toRecipe('font-display')), { text: swapped, count: 1 });
  assert.deepEqual(change(`<style>${css}</style>${css}`, toRecipe('font-display')), {
    text: `<style>${swapped}</style>${css}`,
    count: 1,
  });
  const styled = `<style>${css}</style>`;
  const countFor = (address: string) => change(styled, toRecipe('font-display', { url: address })).count;
  assert.deepEqual([countFor('/fonts.css'), countFor('shop.example/list')], [0, 1]);
});
