import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variant } from '../../contract/experiments/request.ts';
import type { PredictedValues, WhatIf } from '../../contract/stored/what-if.ts';
import { toBlockPatterns, toPrediction, toPromising, unpredictableOf } from './predict.ts';

const values = (score: number): PredictedValues => ({
  score,
  first_contentful_paint: 1000,
  largest_contentful_paint: 4000 - 20 * score,
  total_blocking_time: 100,
  speed_index: 1500,
});

const toRemoval = (name: string, points: number | null): WhatIf['scripts']['items'][number] => ({
  name,
  category: null,
  requests: 1,
  bytes: 10,
  main_thread_ms: 5,
  takes_with: [],
  predicted: points === null ? null : { points, without: values(60 + Math.round(points)) },
  reason: points === null ? 'Not predicted: the document itself comes from there.' : null,
});

const app = 'https://shop.example/app.js?v=1';
const requests = [
  { url: 'https://shop.example/', entity: 'shop.example' },
  { url: app, entity: 'shop.example' },
  { url: 'https://ads.example/tag.js?r=5', entity: 'Ads' },
  { url: 'https://cdn.ads.example/a.png', entity: 'Ads' },
  { url: 'https://fonts.example/a.woff2', entity: 'Fonts' },
];
const whatIf = {
  id: 'x',
  base: values(60),
  third_parties: { error: null, items: [toRemoval('Ads', 12), toRemoval('Fonts', null)] },
  scripts: { error: null, items: [toRemoval(app, 19.6), toRemoval('https://shop.example/b.js', -1)] },
} as unknown as WhatIf;
const predicted = { whatIf, requests };

test('patterns that block all requests of a third party, or one script, use the prediction of its removal', () => {
  assert.deepEqual(toPrediction(predicted, ['ads.example'], 'performance'), {
    difference: 12,
    result: 'x',
    reason: null,
  });
  assert.equal(toPrediction(predicted, ['/app.js'], 'largest_contentful_paint').difference, -400);
  assert.equal(toPrediction(predicted, ['/app.js'], 'performance').difference, 19.6, 'as in the what-if');
});

test('there is no prediction for part of a third party, for several, or for one that cannot be removed', () => {
  const reasonOf = (...block: string[]) => toPrediction(predicted, block, 'performance').reason;
  assert.match(reasonOf('tag.js') ?? '', /not exactly those of one/);
  assert.match(reasonOf('ads.example', 'app.js') ?? '', /not exactly those of one/);
  assert.match(reasonOf('fonts.example') ?? '', /the document itself comes from there/);
  assert.match(reasonOf('other.example') ?? '', /contains none of the blocked requests/);
});

test('only variants that do nothing but block are predicted', () => {
  const nothing = { name: null, url: null, replace: null, headers: null, throttling: null, strategy: null };
  const toVariant = (changes: Partial<Variant>) => ({ ...nothing, block: null, recipes: null, ...changes });
  assert.equal(unpredictableOf(toVariant({ block: ['a.js'], recipes: [] })), undefined);
  const others: Partial<Variant>[] = [
    { block: ['a.js'], headers: { a: 'b' } },
    { url: 'https://shop.example/b' },
    { block: [] },
  ];
  for (const other of others) assert.match(unpredictableOf(toVariant(other)) ?? '', /Only the effect of blocked/);
});

test('the most promising removals become variants, by the hosts of a third party and the path of a script', () => {
  const toPromisingOf = (count: number, isAllowed = (_: string) => true) => toPromising(predicted, count, isAllowed);
  assert.deepEqual(toPromisingOf(3), [
    { name: `without ${app}`, block: ['https://shop.example/app.js'] },
    { name: 'without Ads', block: ['://ads.example/', '://cdn.ads.example/'] },
  ]);
  assert.deepEqual(
    toPromisingOf(1).map(({ name }) => name),
    [`without ${app}`],
  );
  assert.deepEqual(
    toPromisingOf(1, pattern => !pattern.includes('app.js')).map(({ name }) => name),
    ['without Ads'],
    'the next one takes the place of one that cannot be blocked',
  );
  assert.deepEqual(toBlockPatterns(toRemoval('Fonts', null), requests), ['://fonts.example/']);
});

test('the query of a script is part of its pattern if another request has the same path', () => {
  const [one, other] = ['one', 'other'].map(name => `https://wiki.example/load.php?modules=${name}`);
  const loaded = [one ?? '', other ?? ''].map(url => ({ url, entity: 'wiki.example' }));
  assert.deepEqual(toBlockPatterns(toRemoval(one ?? '', 3), loaded), [one]);
  assert.deepEqual(toBlockPatterns(toRemoval(one ?? '', 3), loaded.slice(0, 1)), ['https://wiki.example/load.php']);
});
