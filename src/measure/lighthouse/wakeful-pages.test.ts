import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWakefulPages } from './wakeful-pages.ts';

const change = (rest: 'waiting' | 'quiet', isAtRest: boolean) => ({ rest, isAtRest });

test('the quiet of a page that woke is not used in its next load, but its waits for the network are', () => {
  const pages = createWakefulPages();
  assert.equal(pages.allows('/a', change('quiet', true)), true);
  assert.equal(pages.allows('/a', change('quiet', false)), true, 'it loads again');
  assert.equal(pages.allows('/a', change('quiet', true)), false);
  assert.equal(pages.allows('/b', change('quiet', true)), true, 'another page');
  assert.equal(pages.allows('/a', change('waiting', true)), true);
  assert.equal(pages.allows('/b', change('waiting', false)), true);
  assert.equal(pages.allows('/b', change('quiet', true)), true);
});

test('the quiet of a page is used again after three loads in which it did not wake', () => {
  const pages = createWakefulPages();
  const load = (wakes: boolean) => {
    const isAllowed = pages.allows('/a', change('quiet', true));
    if (wakes) pages.allows('/a', change('quiet', false));
    return isAllowed;
  };
  assert.deepEqual([true, false, false, true, false, false, false, false].map(load), [
    ...[true, false, false, false],
    ...[false, false, false, true],
  ]);
});

test('of more pages than it remembers, those that woke last stay', () => {
  const pages = createWakefulPages(2);
  for (const url of ['/a', '/b', '/a', '/c']) pages.allows(url, change('quiet', false));
  assert.deepEqual(
    ['/a', '/b', '/c'].map(url => pages.allows(url, change('quiet', true))),
    [false, true, false],
  );
});
