import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersAsync } from './prefer.ts';

test('respond-async is found alone, among others, in any case, and with parameters', () => {
  for (const header of [
    'respond-async',
    'Respond-Async',
    'wait=10, respond-async',
    'respond-async; foo=bar, handling=lenient',
  ])
    assert.equal(prefersAsync(header), true, header);
  assert.equal(prefersAsync(['return=minimal', 'respond-async']), true);
});

test('other preferences are ignored', () => {
  for (const header of [
    undefined,
    '',
    'wait=100',
    'respond-asynchronously',
    'foo="a, respond-async"',
    'x; respond-async',
  ])
    assert.equal(prefersAsync(header), false, String(header));
});
