import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sayLeft, sayUnfinished } from './page-part.ts';

test('artifacts with one cause are named in one sentence', () => {
  const unfinished = new Map([
    ["the page's main thread did not respond", ['Accessibility', 'Inputs']],
    ['the page replaces setTimeout', ['FullPageScreenshot']],
  ]);
  assert.deepEqual(sayUnfinished(unfinished), [
    "Lighthouse could not gather Accessibility and Inputs in time, because the page's main thread did not respond.",
    'Lighthouse could not gather FullPageScreenshot in time, because the page replaces setTimeout.',
  ]);
  assert.deepEqual(sayUnfinished(new Map()), []);
});

test('a page that stays needs no word; one that leaves has its target named, at most 200 characters of it', () => {
  assert.deepEqual(sayLeft({ leftFor: undefined }), []);
  const [said = ''] = sayLeft({ leftFor: `http://shop.example/${'x'.repeat(300)}` });
  assert.match(said, /^The page left for http:\/\/shop\.example\/x{180} after its load\./);
});
