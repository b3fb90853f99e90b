import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeOptions, pickOptions } from './measuring-options.ts';

const defaults = {
  strategy: 'mobile',
  categories: ['performance', 'accessibility', 'best-practices', 'seo'],
  runs: 1,
  profile: 'lighthouse',
  cpu: 'default',
  exclusive: false,
  label: null,
} as const;

test('an absent option has the default of its place', () => {
  assert.deepEqual(completeOptions('page', {}), defaults);
  assert.equal(completeOptions('psi', {}).strategy, 'both');
});

test('a job of an earlier version, which lacks a newer option, is completed', () => {
  const { cpu: _, ...stored } = { ...defaults, runs: 3, label: 'a', kind: 'lighthouse' };
  assert.deepEqual(completeOptions('page', stored), { ...defaults, runs: 3, label: 'a' });
});

test('only the options of a place are picked from a larger object', () => {
  assert.deepEqual(pickOptions('psi', { url: 'a', strategy: 'mobile', runs: 3, label: null }), {
    strategy: 'mobile',
    label: null,
  });
});
