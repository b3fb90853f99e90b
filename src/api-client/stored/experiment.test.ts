import assert from 'node:assert/strict';
import { test } from 'node:test';
import { experimentIn, toExperimentAddress, toNewExperimentAddress, toVariant } from './experiment.ts';

test('a URL leads to an experiment, or to the form for a page; no other URL does', () => {
  assert.deepEqual(experimentIn({ search: toExperimentAddress('a b') }), { id: 'a b' });
  assert.deepEqual(experimentIn({ search: toNewExperimentAddress('https://a.test/?b=1&c', 'desktop') }), {
    id: undefined,
    url: 'https://a.test/?b=1&c',
    strategy: 'desktop',
  });
  assert.deepEqual(experimentIn({ search: '?experiment=new&strategy=tablet' }), {
    id: undefined,
    url: '',
    strategy: 'mobile',
  });
  assert.equal(experimentIn({ search: '?url=https://a.test/' }), undefined);
});

test('a row of the form is a variant as the service expects it', () => {
  assert.deepEqual(toVariant({ change: 'block', target: 'a.test/*, b.js  /combo?a,c.js' }), {
    block: ['a.test/*', 'b.js', '/combo?a,c.js'],
  });
  assert.deepEqual(toVariant({ change: 'url', target: 'preview.example.com' }), { url: 'https://preview.example.com' });
  assert.deepEqual(toVariant({ change: 'defer', target: '' }), { recipes: [{ name: 'defer' }] });
  assert.deepEqual(toVariant({ change: 'fetch-priority', target: 'hero.jpg' }), {
    recipes: [{ name: 'fetch-priority', url: 'hero.jpg', value: 'high' }],
  });
});
