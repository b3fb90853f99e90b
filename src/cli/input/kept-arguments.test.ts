import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageFaultsOf } from '../../../test/support/asking/usage-faults.ts';
import { readArguments } from './arguments.ts';
import type { KeptWanted } from './kept-arguments.ts';

const read = (...args: string[]): KeptWanted => {
  const command = readArguments(args, {});
  assert.equal(command.kind, 'kept');
  return (command as { wanted: KeptWanted }).wanted;
};

const faultsOf = (...args: string[]) => usageFaultsOf(() => readArguments(args, {}));

test('the default history is that of the local performance score on mobile', () => {
  const wanted = read('history', 'example.com');
  assert.ok(wanted.command === 'history');
  const { url, metric, strategy, source, format } = wanted;
  assert.deepEqual(
    [url, metric, strategy, source, format],
    ['https://example.com/', 'performance', 'mobile', 'lighthouse', 'table'],
  );
});

test('metrics have short and long names', () => {
  for (const [name, expected] of [
    ['LCP', 'largest_contentful_paint'],
    ['speed-index', 'speed_index'],
    ['cumulative_layout_shift', 'cumulative_layout_shift'],
    ['SEO', 'seo'],
  ] as const) {
    const wanted = read('history', 'a.com', '--metric', name);
    assert.equal(wanted.command === 'history' && wanted.metric, expected);
  }
});

test('options may precede the URL', () => {
  const wanted = read('show', '--json', '--server', 'localhost:8000', 'an-id');
  assert.deepEqual(
    [wanted.command === 'show' && wanted.id, wanted.format, wanted.server],
    ['an-id', 'json', 'http://localhost:8000/'],
  );
});

test('all unknown and missing options are reported together', () => {
  assert.deepEqual(faultsOf('show'), ['rangelight show needs the id of one result']);
  assert.deepEqual(faultsOf('history', 'a.com', 'b.com', '--runs', '3', '--html=x', '--strategy', 'both'), [
    'rangelight history has no option --runs',
    'rangelight history has no option --html',
    'rangelight history needs the URL of one page',
    "--strategy must be one of mobile, desktop, not 'both'",
  ]);
  assert.deepEqual(faultsOf('history', 'a.com', '--metric', 'lcpp'), ['unknown score or metric lcpp']);
  assert.match(faultsOf('history', 'ftp://a.com').join(), /only http and https pages/);
  assert.deepEqual(faultsOf('show', 'x', '--metric', 'LCP'), ['rangelight show has no option --metric']);
});

test('options of a history are rejected for a measurement', () => {
  assert.deepEqual(faultsOf('a.com', '--metric', 'LCP', '--since', '2026-01-01'), [
    '--metric is an option of rangelight history',
    '--since is an option of rangelight history',
  ]);
});
