import assert from 'node:assert/strict';
import { test } from 'node:test';
import { abbreviatedName, misspelledName, nearestNames, toHint } from './nearest-name.ts';

const names = ['psi', 'compare', 'strategy', 'categories', 'json', 'ndjson', 'lcp', 'performance', 'speed-index'];

test('similar names are found, or none if none is close', () => {
  for (const [given, name] of [
    ['strateg', 'strategy'],
    ['stratgey', 'strategy'],
    ['Compare', 'compare'],
    ['jsno', 'json'],
    ['ndjsn', 'ndjson'],
    ['category', 'categories'],
    ['perf', 'performance'],
    ['Perf', 'performance'],
    ['index', 'speed-index'],
    ['xyz', undefined],
    ['foo', undefined],
    ['fast', undefined],
    ['post', undefined],
    ['pi', 'psi'],
    ['', undefined],
    ['something-else', undefined],
  ] as const)
    assert.deepEqual(nearestNames(given, names), name === undefined ? [] : [name], given);
  assert.deepEqual(nearestNames('c', ['ca', 'cb']), ['ca']);
  assert.deepEqual(nearestNames('ab', ['abcdef', 'abxyzu', 'x-abcdef', 'abcdefg']), ['abcdef', 'abxyzu', 'x-abcdef']);
});

test('a hint is a question or empty', () => {
  assert.equal(toHint('jsno', names, '--'), '; did you mean --json?');
  assert.equal(toHint('something-else', names), '');
  assert.equal(toHint('largest', ['largest-a', 'largest-b']), '; did you mean largest-a or largest-b?');
});

test('a misspelling is close to one name; the name of another program is not', () => {
  const parameters = ['url', 'strategy', 'categories', 'detailed', 'label', 'runs', 'cpu', 'since'];
  for (const [given, name] of [
    ['starategy', 'strategy'],
    ['stratgey', 'strategy'],
    ['Strategy', 'strategy'],
    ['category', 'categories'],
    ['detail', 'detailed'],
    ['URL', 'url'],
    ['urls', 'url'],
    ['run', 'runs'],
    ['strategy', undefined],
    ['src', undefined],
    ['uri', undefined],
    ['gpu', undefined],
    ['level', undefined],
    ['lane', undefined],
    ['labels', 'label'],
    ['_', undefined],
    ['utm_source', undefined],
    ['nonsense', undefined],
    ['constructor', undefined],
    ['id', undefined],
    ['', undefined],
    ['strategy'.repeat(1000), undefined],
  ] as const)
    assert.equal(misspelledName(given, parameters), name, given);
});

test('a beginning of five letters is an abbreviation, and other tools have other names', () => {
  const parameters = ['url', 'strategy', 'categories', 'summary'];
  for (const [given, name] of [
    ['strat', 'strategy'],
    ['device', 'strategy'],
    ['form_factor', 'strategy'],
    ['formFactor', 'strategy'],
    ['summa', 'summary'],
    ['strategy', undefined],
    ['cat', undefined],
    ['source', undefined],
    ['constructor', undefined],
    ['', undefined],
  ] as const)
    assert.equal(abbreviatedName(given, parameters), name, given);
  assert.equal(abbreviatedName('device', ['url']), undefined);
});
