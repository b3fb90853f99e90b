import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricIn, withMetric } from './metric-choice.ts';
import { fromAddress } from './page-request.ts';

const base = 'http://127.0.0.1:8000/';
const asked = `${base}?url=https%3A%2F%2Fexample.com%2F&backend=local&strategy=mobile&categories=performance,seo&result=1,2`;

test('the choice is added to the URL, and the rest of the URL stays', () => {
  const chosen = withMetric(asked, 'lcp');
  assert.equal(chosen, `${asked}&metric=lcp`);
  assert.equal(metricIn(new URL(chosen)), 'lcp');
  assert.deepEqual(fromAddress(new URL(chosen), 'local'), fromAddress(new URL(asked), 'local'));
  assert.equal(withMetric(chosen, 'tbt'), `${asked}&metric=tbt`);
  assert.equal(withMetric(chosen, 'all'), asked);
});

test('a request in the fragment gets the metric there', () => {
  const chosen = withMetric(`${base}#url=https%3A%2F%2Fexample.com%2F`, 'cls');
  assert.equal(chosen, `${base}#url=https%3A%2F%2Fexample.com%2F&metric=cls`);
  assert.equal(metricIn(new URL(chosen)), 'cls');
});

test('an invalid metric selects all metrics', () => {
  for (const query of ['', '?metric=', '?metric=inp', '?metric=LCP', '?metric=toString'])
    assert.equal(metricIn(new URL(base + query)), 'all', query);
});
