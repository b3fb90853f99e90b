import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toInterception } from './load-variant.ts';
import type { Recipe } from './request.ts';

const base = { replace: [], headers: {}, recipes: [] };
const toRecipe = (name: Recipe['name'], url: string | null): Recipe => ({
  name,
  url,
  value: null,
  find: null,
  replace: null,
});

test('all arms intercept what any of them changes', () => {
  const [script, other, style] = ['https://a.example/a.js', 'https://b.example/b.js', 'https://a.example/s.css'];
  const arms = [
    base,
    { ...base, replace: [{ url: script, body: '', with: null }], headers: { 'x-test': '1' } },
    { ...base, replace: [{ url: style, body: null, with: other }], recipes: [toRecipe('font-display', null)] },
    { ...base, recipes: [toRecipe('single-point-of-failure', 'ads.example'), toRecipe('font-display', null)] },
  ];
  assert.deepEqual(toInterception(arms), {
    requests: [style, 'ads.example'],
    answers: [script],
    stylesheets: ['*'],
    origin: true,
    document: true,
  });
});

test('blocking alone intercepts no request, and a request without an answer leaves the document unchanged', () => {
  const nothing = { requests: [], answers: [], stylesheets: [], origin: false, document: false };
  assert.deepEqual(toInterception([base]), nothing);
  assert.deepEqual(toInterception([{ ...base, recipes: [toRecipe('single-point-of-failure', null)] }]), {
    ...nothing,
    requests: ['*'],
  });
});
