import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName, toHint } from './nearest-name.ts';

const names = ['psi', 'compare', 'strategy', 'categories', 'json', 'ndjson', 'lcp'];

test('the nearest name is found, or none when all are far', () => {
  for (const [given, name] of [
    ['strateg', 'strategy'],
    ['stratgey', 'strategy'],
    ['Compare', 'compare'],
    ['jsno', 'json'],
    ['ndjsn', 'ndjson'],
    ['category', 'categories'],
    ['xyz', undefined],
    ['', undefined],
    ['something-else', undefined],
  ] as const)
    assert.equal(nearestName(given, names), name, given);
});

test('a hint is a question, or nothing', () => {
  assert.equal(toHint('jsno', names, '--'), '; did you mean --json?');
  assert.equal(toHint('something-else', names), '');
});
