import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCacheKey } from './key.ts';

type Parts = Parameters<typeof toCacheKey>[0];

const parts: Parts = {
  url: 'https://example.com/',
  strategy: 'mobile',
  categories: ['performance', 'seo'],
  locale: 'en-US',
  analyser: 'https://psi.test/v5',
  label: null,
  targets: 'public',
};

test('equal parts have equal keys', () => {
  assert.equal(toCacheKey(parts), toCacheKey({ ...parts, categories: [...parts.categories] }));
});

test('every part makes a different key, including the fragment', () => {
  const others: readonly Partial<Parts>[] = [
    {},
    { url: 'http://example.com/' },
    { url: 'https://example.com/#/route' },
    { url: 'https://example.com/?a=1' },
    { strategy: 'desktop' },
    { categories: ['performance'] },
    { categories: ['performance', 'seo', 'accessibility'] },
    { categories: [] },
    { locale: 'de' },
    { analyser: 'https://other.test/v5' },
    { label: 'build 42' },
    { targets: 'any' },
  ];
  const keys = others.map(other => toCacheKey({ ...parts, ...other }));
  assert.equal(new Set(keys).size, others.length);
});

test('the order of the categories does not matter and is not changed', () => {
  const categories = Object.freeze(['seo', 'performance'] as const);
  assert.equal(toCacheKey({ ...parts, categories }), toCacheKey(parts));
  assert.deepEqual(categories, ['seo', 'performance']);
});

test('no part can be mistaken for another', () => {
  assert.notEqual(
    toCacheKey({ ...parts, locale: 'a', analyser: 'bc' }),
    toCacheKey({ ...parts, locale: 'ab', analyser: 'c' }),
  );
});

test('a key has one length, and does not reveal the URL', () => {
  const keys = ['a', 'a'.repeat(5000)].map(name => toCacheKey({ ...parts, url: `https://example.com/${name}` }));
  for (const key of keys) assert.match(key, /^[\da-f]{64}$/);
});
