import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildLocalResult, buildResult } from '../../../test/web/reports.ts';
import { columnsOf } from '../../presentation/answer.ts';
import { idsIn, idsOf, resultIn, toAsked, toFileLinks, withIds, withMissing } from './kept-result.ts';

const [one, two] = ['01a201e3-ac0c-7234-9a1b-bd2e414329fe', '01a201e3-ac0c-74dd-8c62-5c884f635c73'];

test('the ids of an answer are those of all its results, or none', () => {
  assert.deepEqual(idsOf([{ id: one }]), [one]);
  assert.deepEqual(idsOf([{ id: one, psi: {}, lighthouse: {} }, { id: two }]), [one, two]);
  assert.deepEqual(idsOf([{ url: 'x', strategy: 'both', mobile: { id: one }, desktop: { id: two } }]), [one, two]);
  for (const body of [{}, null, 'x', { id: 1 }]) assert.deepEqual(idsOf([{ id: one }, body]), []);
});

test('a stored failure has its place among the ids, and one that is not stored changes no other', () => {
  const failed = { url: 'x', error: { code: 'page_error', id: two } };
  assert.deepEqual(idsOf([{ mobile: { id: one }, desktop: failed }]), [one, two]);
  assert.deepEqual(idsOf([{ id: one }, { code: 'page_error', id: two }]), [one, two]);
  assert.deepEqual(
    idsOf([{ id: one }, { id: two, url: 'x', error: { code: 'page_error' } }]),
    [one, two],
    'read again',
  );
  assert.deepEqual(idsOf([{ mobile: { id: one }, desktop: { url: 'x', error: { code: 'psi_timeout' } } }]), [one]);
  assert.deepEqual(
    idsOf([
      { id: one, psi: {}, lighthouse: {} },
      { code: 'x', id: two, psi: failed, lighthouse: failed },
    ]),
    [one],
  );
});

test('an answer without any result requests a measurement again', () => {
  const failed = { url: 'x', error: { code: 'page_error', id: two } };
  for (const bodies of [
    [{ code: 'page_error', id: one }],
    [{ code: 'page_error', id: one, mobile: failed, desktop: failed }],
  ])
    assert.deepEqual(idsOf(bodies), []);
});

test('a URL contains the ids, and parsing returns them', () => {
  assert.equal(withIds('?url=https://a.example/', []), '?url=https://a.example/');
  const address = withIds('?url=https://a.example/', [one, two]);
  assert.deepEqual(idsIn({ search: address, hash: '' }), [one, two]);
  assert.deepEqual(idsIn({ search: '', hash: `#url=x&result=${two}` }), [two]);
  for (const search of ['', '?url=x', '?result=', '?result=..%2f..%2fhealth', '?result=a/b'])
    assert.deepEqual(idsIn({ search, hash: '' }), [], search);
  assert.equal(idsIn({ search: `?result=${Array(9).fill(one).join(',')}`, hash: '' }).length, 4);
});

test('a stored result lists its files, and one that is not stored has none', () => {
  const links = { self: `/results/${one}`, report: `/results/${one}/report`, trace: `/results/${one}/trace` };
  assert.deepEqual(toFileLinks(buildResult({ id: one, links })), [
    { address: `results/${one}/report`, words: 'HTML report' },
    { address: `results/${one}/trace`, words: 'Trace' },
  ]);
  assert.deepEqual(toFileLinks(buildResult()), []);
});

test('a URL with a result and no page has its id, even an invalid one', () => {
  assert.equal(resultIn({ search: `?result=${one}` }), one);
  assert.equal(resultIn({ search: '?result=half-a-li' }), 'half-a-li');
  for (const search of ['', '?url=x', `?url=x&result=${one}`]) assert.equal(resultIn({ search }), undefined, search);
});

test('the request that would have led to an answer is derived from it', () => {
  const part = { ok: true, result: buildResult({ strategy: 'desktop' }) } as const;
  const column = { source: 'psi', strategy: 'desktop', part } as const;
  const asked = toAsked({ kind: 'results', columns: [column] });
  const { urls, backend, strategy } = asked ?? {};
  assert.deepEqual({ urls, backend, strategy }, { urls: [part.result.url], backend: 'remote', strategy: 'desktop' });
  const pairing = { strategy: 'desktop', psi: part, lighthouse: part, comparison: null } as const;
  assert.equal(toAsked({ kind: 'comparisons', pairings: [pairing] })?.backend, 'compare');
  assert.equal(toAsked({ kind: 'results', columns: [] }), undefined);
});

test('a requested result that is not stored is shown as missing', () => {
  const asked = { backend: 'local', strategy: 'both', categories: [] } as const;
  const desktop = {
    source: 'lighthouse',
    strategy: 'desktop',
    part: { ok: true, result: buildLocalResult() },
  } as const;
  const shapeOf = (
    ...[answer, wanted = asked]: [Parameters<typeof withMissing>[0], Parameters<typeof withMissing>[2]?]
  ) => columnsOf(withMissing(answer, 'x', wanted)).map(({ source, strategy, part }) => [source, strategy, part.ok]);
  const alone = { kind: 'results', columns: [desktop] } as const;
  const known = ['lighthouse', 'desktop', true];
  assert.deepEqual(shapeOf(alone), [['lighthouse', 'mobile', false], known]);
  assert.deepEqual(shapeOf(alone, { ...asked, strategy: 'mobile' }), [known], 'the address leads to it');
  const pairing = { strategy: 'desktop', psi: desktop.part, lighthouse: desktop.part, comparison: null } as const;
  assert.deepEqual(
    shapeOf({ kind: 'comparisons', pairings: [pairing] }, { ...asked, backend: 'compare' }).map(([, ...rest]) => rest),
    [
      ['mobile', false],
      ['mobile', false],
      ['desktop', true],
      ['desktop', true],
    ],
  );
});
