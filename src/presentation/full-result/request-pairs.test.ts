import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isOneSided, toRequestPairs, toRequests } from './requests.ts';

const rowsOf = (...urls: string[]) =>
  toRequests({
    audits: {
      'network-requests': {
        details: { items: urls.map((url, at) => ({ url, networkRequestTime: at, transferSize: 100 * at })) },
      },
    },
  });
const base = 'https://example.com';

test('requests are next to their counterpart; one on a single side has no counterpart', () => {
  const pairs = toRequestPairs(
    rowsOf(`${base}/`, `${base}/a.js`, `${base}/only-remote.js`),
    rowsOf(`${base}/`, `${base}/only-local.css`, `${base}/a.js`),
  );
  assert.deepEqual(
    pairs.map(({ psi, lighthouse }) => [(psi ?? lighthouse)?.name, psi?.number, lighthouse?.number]),
    [
      ['/', 1, 1],
      ['a.js', 2, 3],
      ['only-local.css', undefined, 2],
      ['only-remote.js', 3, undefined],
    ],
  );
  assert.deepEqual(
    pairs.filter(isOneSided).map(({ psi, lighthouse }) => (psi ?? lighthouse)?.name),
    ['only-local.css', 'only-remote.js'],
  );
});

test('a query that changes each time does not separate two requests, and a repeated URL gives two pairs', () => {
  const pairs = toRequestPairs(
    rowsOf(`${base}/hit?t=1`, `${base}/same`, `${base}/same`),
    rowsOf(`${base}/hit?t=2`, `${base}/same`, `${base}/same`, `${base}/same`),
  );
  assert.deepEqual(
    pairs.map(pair => isOneSided(pair)),
    [false, false, false, true],
  );
});

test('an equal URL takes precedence over a similar one', () => {
  const [first, second] = toRequestPairs(rowsOf(`${base}/x?a`, `${base}/x?b`), rowsOf(`${base}/x?b`, `${base}/x?c`));
  assert.deepEqual([first?.lighthouse?.url, second?.lighthouse?.url], [`${base}/x?c`, `${base}/x?b`]);
});

test('a thousand requests on each side are paired quickly', () => {
  const urls = Array.from({ length: 1000 }, (_, at) => `${base}/${at % 7}?${at}`);
  assert.equal(toRequestPairs(rowsOf(...urls), rowsOf(...urls.toReversed())).filter(isOneSided).length, 0);
});
