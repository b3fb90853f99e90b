import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryNames } from '../../contract/names.ts';
import { toLeftOut } from './audit-limits.ts';

test('SEO alone needs no full-page screenshot, and without accessibility only two of the axe rules', () => {
  assert.deepEqual(toLeftOut(['seo']), ['full_page_screenshot', 'other_axe_rules']);
  assert.deepEqual(toLeftOut(['performance', 'seo']), ['other_axe_rules']);
  assert.deepEqual(toLeftOut(['seo', 'best-practices']), ['other_axe_rules']);
});

test('artifacts that a category needs are gathered', () => {
  assert.deepEqual(toLeftOut(categoryNames), []);
  assert.deepEqual(toLeftOut(['accessibility', 'seo']), []);
  assert.deepEqual(toLeftOut(['seo', 'agentic-browsing']), []);
  for (const name of ['performance', 'accessibility', 'best-practices']) assert.deepEqual(toLeftOut([name]), []);
});
