import assert from 'node:assert/strict';
import { test } from 'node:test';
import { categoryNames } from '../contract/names.ts';
import { planBatch, planPage, planReports } from './plan.ts';

const url = 'https://example.com/?a=b&c#d';
const wanted = { backend: 'remote', strategy: 'both', categories: categoryNames } as const;
const encoded = 'url=https%3A%2F%2Fexample.com%2F%3Fa%3Db%26c%23d';

test('the PSI backend requests both strategies in one call, with the full result if requested', () => {
  assert.deepEqual(planPage(url, wanted, true), [
    {
      method: 'GET',
      path: `psi?${encoded}&strategy=both&detailed=true`,
      lanes: [
        { source: 'psi', strategy: 'mobile' },
        { source: 'psi', strategy: 'desktop' },
      ],
    },
  ]);
  assert.equal(planPage(url, wanted, false)[0]?.path, `psi?${encoded}&strategy=both`);
});

test('the local backend requests one strategy at a time', () => {
  assert.deepEqual(
    planPage(url, { ...wanted, backend: 'local' }, true).map(({ path }) => path),
    [`lighthouse?${encoded}&strategy=mobile`, `lighthouse?${encoded}&strategy=desktop`],
  );
});

test('a comparison has a lane for each side', () => {
  const [call] = planPage(url, { backend: 'compare', strategy: 'desktop', categories: ['seo', 'performance'] }, true);
  assert.equal(call?.path, `compare?${encoded}&strategy=desktop&categories=seo%2Cperformance`);
  assert.deepEqual(
    call?.lanes.map(({ source }) => source),
    ['psi', 'lighthouse'],
  );
});

test('a list is one call with a body', () => {
  const { method, path, body } = planBatch({ urls: ['a', 'b'], ...wanted, categories: ['seo'] });
  assert.deepEqual(
    [method, path, JSON.parse(body ?? '')],
    ['POST', 'psi', { urls: ['a', 'b'], strategy: 'both', categories: ['seo'] }],
  );
  assert.deepEqual(JSON.parse(planBatch({ urls: ['a'], ...wanted }).body ?? ''), { urls: ['a'], strategy: 'both' });
});

test('a report has one link for each call, which says whether it measures again', () => {
  assert.deepEqual(planReports(url, wanted), [
    { address: `psi/report?${encoded}&strategy=both`, words: 'HTML report', strategy: undefined },
  ]);
  assert.deepEqual(planReports(url, { ...wanted, backend: 'local', strategy: 'desktop', categories: ['seo'] }), [
    {
      address: `lighthouse/report?${encoded}&strategy=desktop&categories=seo`,
      words: 'HTML report (measures again)',
      strategy: undefined,
    },
  ]);
  assert.deepEqual(planReports(url, { ...wanted, backend: 'compare' }), [
    { address: `compare/report?${encoded}&strategy=mobile`, words: 'HTML report (measures again)', strategy: 'mobile' },
    {
      address: `compare/report?${encoded}&strategy=desktop`,
      words: 'HTML report (measures again)',
      strategy: 'desktop',
    },
  ]);
});
